import { isRetinueError } from '@retinue/core/errors'
import { agentModels } from '../run/agent-models.ts'
import { modelChooser } from '../run/choose-model.ts'
import { modelText } from '../run/model-text.ts'
import { openAgent } from '../run/open-application.ts'
import { errorText, exitCodeOf } from '../run/run-end.ts'
import { Conversation } from './conversation.ts'
import { LocalModels } from './local-models.ts'
import { PlainChat } from './plain-chat.ts'
import { assertUsable, SessionModel } from './session-model.ts'
import { spokenLines } from './slash-commands.ts'
import { TerminalChat } from './terminal-chat.ts'

export interface ChatAgentOptions {
  /** The project's directory. */
  readonly cwd: string
  readonly agent: string
  readonly model?: string | undefined
  readonly dir?: string | undefined
  /** The conversation to go on with: its thread; true for the last one. */
  readonly thread?: string | true | undefined
  readonly input: NodeJS.ReadStream
  readonly output: NodeJS.WriteStream
  readonly err: (text: string) => void
  /** Only lines, one after the other: no terminal, or one that must not be steered. */
  readonly plain: boolean
}

/** Holds a conversation with an agent of a project. Gives the exit code. */
export async function chatAgent(options: ChatAgentOptions): Promise<number> {
  const { input, output, err } = options
  let closeStorage: () => Promise<void> = async () => {}
  try {
    const { agent, app, close } = await openAgent(options)
    closeStorage = close
    const named = options.model ?? (process.env['RETINUE_MODEL'] || undefined)
    // A model that a person named must be there now, and not only when the first message has been typed.
    const configured = modelChooser(options.model, process.env, options.cwd)
    if (named !== undefined) await assertUsable(configured)
    const model = new SessionModel(configured, (name) => modelChooser(name, process.env, options.cwd))
    const localModels = new LocalModels(process.env)
    const conversation = new Conversation(agent, model.choose)
    const resumed = await goOn(conversation, options.thread)
    const session = { conversation, model, localModels, flags: { dir: options.dir, model: options.model } }
    const uses = (await agentModels(agent, model.choose)).flatMap(({ use }) => (use === undefined ? [] : [use]))
    const told = [...new Set(uses.map(modelText))]
    // Offers are for people, and only where no language model answers.
    const offline = uses.some(({ used }) => used.startsWith('offline/'))
    if (named === undefined && offline && input.isTTY) await localModels.refresh()
    const offers = localModels.offers()
    if (options.plain) {
      const out = (text: string): boolean => output.write(text)
      return await new PlainChat({
        session,
        app,
        input,
        out,
        err,
        greeting: [...told, ...offers, ...resumed],
        told,
      }).run()
    }
    const greeting = [`${agent.id}: a conversation. /help lists the commands.`, ...told, ...offers, ...resumed, '']
    return await new TerminalChat({ session, app, input, output, greeting }).run()
  } catch (error) {
    if (!isRetinueError(error)) throw error
    err(errorText(error))
    return exitCodeOf(error)
  } finally {
    await closeStorage()
  }
}

/** Goes on with a conversation, and shows what was said last in it. */
async function goOn(conversation: Conversation, thread: string | true | undefined): Promise<string[]> {
  if (thread === undefined) return []
  const threadId = thread === true ? (await conversation.list())[0]?.threadId : thread
  if (threadId === undefined) return ['There is no conversation with this agent yet; this is a new one.']
  return ['', spokenLines(await conversation.resume(threadId))]
}
