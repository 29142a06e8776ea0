import { chatAgent } from '../chat/chat-agent.ts'
import { type Command, command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { wantsColors } from '../render-findings.ts'

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
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ agent, model, dir }) {
    const code = await chatAgent({
      cwd: process.cwd(),
      agent,
      model,
      dir,
      input: process.stdin,
      output: process.stdout,
      err: (text) => process.stderr.write(text),
      plain: !process.stdin.isTTY || !wantsColors(process.stdout),
    })
    // Whoever has interrupted twice does not wait for a tool that heeds no signal.
    if (code === EXIT.interrupted) process.exit(code)
    return code
  },
})

export default chat
