import { showLog } from '../approvals/audit-log.ts'
import { cancelRun } from '../approvals/cancel-run.ts'
import { decide } from '../approvals/decide.ts'
import { listWaiting } from '../approvals/list-waiting.ts'
import type { ApprovalsOptions } from '../approvals/options.ts'
import { type Command, command, UsageError } from '../command.ts'
import { jsonOrText } from '../json-or-text.ts'
import type { Verdict } from '../run/decide-call.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { wantsColors } from '../wants-colors.ts'

/** What can be done, with the words that follow it. */
const ACTIONS = {
  list: '',
  approve: 'RUN [CALL]',
  decline: 'RUN [CALL]',
  answer: 'RUN [CALL] DATA',
  cancel: 'RUN',
  log: '[RUN]',
} as const
type Action = keyof typeof ACTIONS

const approvals: Command = command({
  name: 'approvals',
  description:
    'Decide what runs wait for: list (default), approve RUN [CALL], decline RUN [CALL], answer RUN [CALL] DATA, cancel RUN, log [RUN]',
  args: {
    action: { type: 'positional', required: false, description: Object.keys(ACTIONS).join(', ') },
    run: { type: 'positional', required: false, description: 'The id of the run' },
    call: { type: 'positional', required: false, description: 'The id of the call; not needed while only one waits' },
    data: { type: 'positional', required: false, description: 'The answer to a suspended tool: JSON, or a text' },
    args: { type: 'string', valueHint: 'json', description: 'approve: run the tool with these arguments instead' },
    reason: { type: 'string', valueHint: 'text', description: 'decline: why; the model is told' },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description:
        "Every agent's model for the rest of the run (default: RETINUE_MODEL, else what each agent declares)",
    },
    json: { type: 'boolean', description: 'Print the result as JSON' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ action = 'list', run, call, data, args, reason, model, json, dir }) {
    if (!isAction(action))
      throw new UsageError(`there is no action "${action}"; known are ${Object.keys(ACTIONS).join(', ')}`)
    if (args !== undefined && action !== 'approve') throw new UsageError('"--args" goes with approve')
    if (reason !== undefined && action !== 'decline') throw new UsageError('"--reason" goes with decline')
    const words = [run, call, data].filter((word) => word !== undefined)
    assertWords(action, words.length)
    const options = shared(dir, json === true)
    if (action === 'list') return listWaiting(options)
    if (action === 'log') return showLog({ ...options, runId: run })
    const runId = run as string
    if (action === 'cancel') return cancelRun({ ...options, runId })
    const { fatal, finished } = watchStrayErrors(options.err)
    const verdict = verdictOf(action, { args, reason, data: words.at(-1) as string })
    const toolCallId = action === 'answer' && words.length === 2 ? undefined : call
    return decide({ ...options, runId, toolCallId, verdict, model, fatal }).finally(finished)
  },
})

export default approvals

function isAction(word: string): word is Action {
  return Object.hasOwn(ACTIONS, word)
}

/** How many words an action takes is read from how it is written. */
function assertWords(action: Action, given: number): void {
  const words = ACTIONS[action].split(' ').filter((word) => word !== '')
  const needed = words.filter((word) => !word.startsWith('[')).length
  if (given < needed || given > words.length)
    throw new UsageError(`it is written "retinue approvals ${`${action} ${ACTIONS[action]}`.trim()}"`)
}

function shared(dir: string | undefined, json: boolean): ApprovalsOptions {
  return {
    cwd: process.cwd(),
    dir,
    json,
    color: wantsColors(process.stderr),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  }
}

function verdictOf(
  action: 'approve' | 'decline' | 'answer',
  { args, reason, data }: { args: string | undefined; reason: string | undefined; data: string },
): Verdict {
  switch (action) {
    case 'approve':
      return args === undefined ? { type: action } : { type: action, args: parsed(args) }
    case 'decline':
      return { type: action, reason }
    case 'answer':
      return { type: action, data: jsonOrText(data) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new UsageError(`"--args" is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}
