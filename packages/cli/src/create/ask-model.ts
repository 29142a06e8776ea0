import { createInterface } from 'node:readline/promises'
import { DEFAULT_MODEL } from './create-project.ts'

/** Asks a person for the model of a new project's agents. Undefined where they leave: with Ctrl-C, with Ctrl-D, or with the terminal. */
export async function askModel(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<string | undefined> {
  const terminal = createInterface({ input, output })
  // A question of which the terminal goes is never answered.
  const left = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)))
  try {
    const asked = terminal.question(`Which model do its agents use? (${DEFAULT_MODEL}) `)
    const answer = await Promise.race([asked.catch(ignoreAbort), left])
    return answer === undefined ? undefined : answer.trim() || DEFAULT_MODEL
  } finally {
    terminal.close()
  }
}

/** The keys that end a question reject it. */
function ignoreAbort(error: unknown): undefined {
  if (!(error instanceof Error && error.name === 'AbortError')) throw error
}
