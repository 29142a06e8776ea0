import { text } from 'node:stream/consumers'
import { type Command, command, UsageError } from '../command.ts'
import { runAgent } from '../run/run-agent.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { wantsColors } from '../wants-colors.ts'

const run: Command = command({
  name: 'run',
  description: 'Run an agent on a request: its delegations as they happen, then the answer',
  args: {
    agent: { type: 'positional', required: true, description: 'The agent: the name of its directory' },
    request: { type: 'positional', required: true, description: 'The request; - reads it from standard input' },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: "Every agent's model (default: RETINUE_MODEL, else what each agent declares)",
    },
    yes: { type: 'boolean', description: 'Approve every call that waits for a person, and say so' },
    json: { type: 'boolean', description: 'Print the result as JSON' },
    thread: {
      type: 'string',
      valueHint: 'id',
      description: 'Go on with a conversation; it is begun if there is none of that id',
    },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ agent, request: given, model, yes, json, dir, thread }) {
    const request = given === '-' ? await text(process.stdin) : given
    if (request.trim() === '') throw new UsageError('the request is empty')
    const err = (chunk: string): boolean => process.stderr.write(chunk)
    // Watched to the end of the process: what a tool left behind may fail after the answer, too.
    const { fatal, finished } = watchStrayErrors(err)
    const ended = runAgent({
      cwd: process.cwd(),
      agent,
      request,
      model,
      dir,
      thread,
      yes: yes === true,
      json: json === true,
      color: wantsColors(process.stderr),
      out: (chunk) => process.stdout.write(chunk),
      err,
      fatal,
    })
    return ended.finally(finished)
  },
})

export default run
