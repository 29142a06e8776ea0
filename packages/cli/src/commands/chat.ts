import { isRetinueError } from '@retinue/core/errors'
import { chatAgent } from '../chat/chat-agent.ts'
import { type Command, command, UsageError } from '../command.ts'
import { errorText, exitCodeOf } from '../run/run-end.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { wantsColors } from '../wants-colors.ts'

const chat: Command = command({
  name: 'chat',
  description: 'Talk with an agent: its delegations as a tree that lives, its answers as they come',
  args: {
    agent: { type: 'positional', required: true, description: 'The agent: the name of its directory' },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: "Every agent's model (default: RETINUE_MODEL, else what each agent declares)",
    },
    thread: { type: 'string', valueHint: 'id', description: 'Go on with a conversation' },
    continue: { type: 'boolean', description: 'Go on with the last conversation' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ agent, model, dir, thread, continue: goOn }) {
    if (thread !== undefined && goOn) throw new UsageError('"--thread" and "--continue" name two conversations')
    const err = (text: string): boolean => process.stderr.write(text)
    const { fatal, finished } = watchStrayErrors(err)
    // Whoever interrupts twice ends the process, and means it.
    finished()
    const ended = chatAgent({
      cwd: process.cwd(),
      agent,
      model,
      dir,
      thread: thread ?? (goOn || undefined),
      input: process.stdin,
      output: process.stdout,
      err,
      plain: !process.stdin.isTTY || !wantsColors(process.stdout),
    })
    try {
      return await Promise.race([ended, fatal])
    } catch (error) {
      if (!isRetinueError(error, 'stray-exception')) throw error
      err(errorText(error))
      return exitCodeOf(error)
    }
  },
})

export default chat
