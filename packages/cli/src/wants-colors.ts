/** Whether a stream gets colours: a terminal, and nobody said no. `NO_COLOR` and `CI` count when they are not empty. */
export function wantsColors(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  return stream.isTTY === true && !env['NO_COLOR'] && !env['CI'] && env['TERM'] !== 'dumb'
}
