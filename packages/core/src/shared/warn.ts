/** Tells whoever runs the program of something that is not wrong enough to stop it: on stderr, never in a run. */
export function warn(code: string, message: string): void {
  const host = (globalThis as { process?: { emitWarning?: (message: string, options: object) => void } }).process
  if (host?.emitWarning) host.emitWarning(message, { type: 'RetinueWarning', code })
  else console.warn(`[${code}] ${message}`)
}
