/**
 * Ends the process with a code, once everything that was printed has been handed over: a tool may hold a timer or a database
 * connection that would keep the process alive long after the answer.
 */
export async function endProcess(code: number): Promise<never> {
  process.exitCode = code
  await Promise.all([drained(process.stdout), drained(process.stderr)])
  process.exit(code)
}

/** Resolves when a stream has passed on what was written to it; also when its reader has gone. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (!stream.writable) return resolve()
    // What is written later is passed on later: the callback of this write comes after all before it.
    stream.write('', () => resolve())
  })
}
