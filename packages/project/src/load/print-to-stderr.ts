import { AsyncLocalStorage } from 'node:async_hooks'

const loading = new AsyncLocalStorage<true>()
let redirected = false

/**
 * Runs `work` so that what it prints goes to stderr: a program's stdout is its own, and a module that prints while it loads must
 * not get into it. Code that runs at the same time, but was not called by `work`, prints as ever.
 */
export function printToStderr<T>(work: () => Promise<T>): Promise<T> {
  if (!redirected) {
    redirected = true
    redirect()
  }
  return loading.run(true, work)
}

function redirect(): void {
  const { stdout, stderr } = process
  const write = stdout.write
  // Both of Node's signatures are handed on as they come.
  stdout.write = function (this: typeof stdout, ...args: Parameters<typeof write>) {
    return loading.getStore() === true ? stderr.write(...args) : write.apply(this, args)
  } as typeof write
}
