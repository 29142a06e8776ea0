import type { TaskStatus } from '@retinue/core/storage'
import { type Command, command, UsageError } from '../command.ts'
import { jsonOrText } from '../json-or-text.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { answerTask } from '../tasks/answer-task.ts'
import { cancelTask } from '../tasks/cancel-task.ts'
import { STATES } from '../tasks/find-task.ts'
import { followTask } from '../tasks/follow-task.ts'
import { inApplication, onTask, type TasksOptions } from '../tasks/found-task.ts'
import { listTasks } from '../tasks/list-tasks.ts'
import { sendToTask } from '../tasks/send-to-task.ts'
import { showTask } from '../tasks/show-task.ts'
import { wantsColors } from '../wants-colors.ts'

/** What can be done, with the words that follow it. */
const ACTIONS = {
  list: [],
  show: ['ID'],
  follow: ['ID'],
  cancel: ['ID'],
  send: ['ID', 'TEXT'],
  answer: ['ID', 'VALUE'],
} as const
type Action = keyof typeof ACTIONS

/** Which options go with some actions alone. */
const OWN_OPTIONS: Readonly<Record<string, readonly Action[]>> = {
  all: ['list'],
  status: ['list'],
  thread: ['list'],
  resource: ['list'],
  reason: ['cancel'],
  call: ['answer'],
  model: ['answer'],
}

const tasks: Command = command({
  name: 'tasks',
  description:
    'See and steer what goes on in the background: list (default), show ID, follow ID, cancel ID, send ID TEXT, answer ID VALUE',
  args: {
    action: { type: 'positional', required: false, description: Object.keys(ACTIONS).join(', ') },
    id: { type: 'positional', required: false, description: 'The id of the task, or a beginning of it' },
    text: { type: 'positional', required: false, description: 'send: what its agent reads; answer: JSON, or a text' },
    all: { type: 'boolean', description: 'list: also those that have ended' },
    status: { type: 'string', valueHint: STATES.join('|'), description: 'list: only those that stand so' },
    thread: { type: 'string', valueHint: 'id', description: 'list: only those of a conversation' },
    resource: { type: 'string', valueHint: 'id', description: "list: only those of somebody's conversations" },
    reason: { type: 'string', valueHint: 'text', description: 'cancel: why; whoever waits for it is told' },
    call: { type: 'string', valueHint: 'id', description: 'answer: which call, where several ask' },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: "answer: every agent's model from there on (default: RETINUE_MODEL, else what each agent declares)",
    },
    json: { type: 'boolean', description: 'Print the result as JSON; follow: each event on a line' },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ action = 'list', id, text, ...given }) {
    if (!isAction(action))
      throw new UsageError(`there is no action "${action}"; known are ${Object.keys(ACTIONS).join(', ')}`)
    assertOptions(action, given)
    const words = [id, text].filter((word) => word !== undefined)
    const wanted = ACTIONS[action]
    if (words.length !== wanted.length)
      throw new UsageError(`it is written "retinue tasks ${[action, ...wanted].join(' ')}"`)
    const { json, dir, all, thread, resource } = given
    const options = shared(dir, json === true)
    if (action === 'list') {
      const status = statusOf(given.status, all === true)
      const query = { ...options, all: all === true, status, threadId: thread, resourceId: resource }
      return inApplication(options, ({ app }) => listTasks(app, query))
    }
    return onOne(action, id as string, options, { ...given, text: text ?? '' })
  },
})

export default tasks

interface Given {
  readonly text: string
  readonly reason?: string | undefined
  readonly call?: string | undefined
  readonly model?: string | undefined
}

async function onOne(
  action: Exclude<Action, 'list'>,
  id: string,
  options: TasksOptions,
  { text, reason, call, model }: Given,
): Promise<number> {
  switch (action) {
    case 'show':
      return onTask(id, options, (found) => showTask(found, options))
    case 'follow': {
      const controller = new AbortController()
      // A second Ctrl-C ends the process as ever.
      process.once('SIGINT', () => controller.abort())
      return onTask(id, options, (found) => followTask(found, { ...options, signal: controller.signal }))
    }
    case 'cancel':
      return onTask(id, options, (found) => cancelTask(found, { ...options, reason }))
    case 'send':
      return onTask(id, options, (found) => sendToTask(found, { ...options, text }))
    case 'answer': {
      const { fatal, finished } = watchStrayErrors(options.err)
      const answer = { ...options, data: jsonOrText(text), toolCallId: call, model }
      return onTask(id, { ...options, fatal }, (found) => answerTask(found, answer)).finally(finished)
    }
  }
}

function isAction(word: string): word is Action {
  return Object.hasOwn(ACTIONS, word)
}

function assertOptions(action: Action, given: Readonly<Record<string, unknown>>): void {
  for (const [name, actions] of Object.entries(OWN_OPTIONS)) {
    if (given[name] !== undefined && !actions.includes(action))
      throw new UsageError(`"--${name}" goes with ${actions.join(' and ')}`)
  }
}

function statusOf(status: string | undefined, all: boolean): TaskStatus | undefined {
  if (status === undefined) return undefined
  if (all) throw new UsageError('"--all" and "--status" list different tasks')
  const known = STATES.find((each) => each === status)
  if (known === undefined) throw new UsageError(`there is no state "${status}"; known are ${STATES.join(', ')}`)
  return known
}

function shared(dir: string | undefined, json: boolean): TasksOptions {
  return {
    cwd: process.cwd(),
    dir,
    json,
    color: wantsColors(process.stderr),
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  }
}
