import { isRetinueError } from '@retinue/core/errors'
import { modelChooser } from '../run/choose-model.ts'
import { modelText } from '../run/model-text.ts'
import { openAgent } from '../run/open-agent.ts'
import { errorText, exitCodeOf } from '../run/run-end.ts'
import { agentModels } from './agent-models.ts'
import { Conversation } from './conversation.ts'
import { LocalModels } from './local-models.ts'
import { PlainChat } from './plain-chat.ts'
import { assertUsable, SessionModel } from './session-model.ts'
import { TerminalChat } from './terminal-chat.ts'

export interface ChatAgentOptions {
  /** The project's directory. */
  readonly cwd: string
  readonly agent: string
  readonly model?: string | undefined
  readonly dir?: string | undefined
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly err: (text: string) => void
  /** Only lines, one after the other: no terminal, or one that must not be steered. */
  readonly plain: boolean
}

/** Holds a conversation with an agent of a project. Gives the exit code. */
export async function chatAgent(options: ChatAgentOptions): Promise<number> {
  const { input, output, err } = options
  try {
    const agent = await openAgent(options)
    const named = options.model ?? (process.env['RETINUE_MODEL'] || undefined)
    // A model that a person named must be there now, and not only when the first message has been typed.
    const configured = modelChooser(options.model, process.env, options.cwd)
    if (named !== undefined) await assertUsable(configured)
    const model = new SessionModel(configured, (name) => modelChooser(name, process.env, options.cwd))
    const localModels = new LocalModels(process.env)
    const session = { conversation: new Conversation(agent, model.choose), model, localModels }
    const uses = (await agentModels(agent, model.choose)).flatMap(({ use }) => (use === undefined ? [] : [use]))
    const told = [...new Set(uses.map(modelText))]
    // Offers are for people, and only where no language model answers.
    const offline = uses.some(({ used }) => used.startsWith('offline/'))
    if (named === undefined && offline && input.isTTY) await localModels.refresh()
    const offers = localModels.offers()
    if (options.plain) {
      const out = (text: string): boolean => output.write(text)
      return await new PlainChat({ session, input, out, err, greeting: [...told, ...offers], told }).run()
    }
    const greeting = [`${agent.id}: a conversation. /help lists the commands.`, ...told, ...offers, '']
    return await new TerminalChat({ session, input, output, greeting }).run()
  } catch (error) {
    if (!isRetinueError(error)) throw error
    err(errorText(error))
    return exitCodeOf(error)
  }
}
