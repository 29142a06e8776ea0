import { onTestFinished, vi } from 'vitest'

/** What the process is warned of while a test runs, each as its code and its message. */
export function warnings(): { readonly code: string; readonly message: string }[] {
  const told: { code: string; message: string }[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
    const { code = '' } = (options ?? {}) as { code?: string }
    told.push({ code, message: String(message) })
  })
  onTestFinished(() => spy.mockRestore())
  return told
}
