import type { PendingToolCall } from '@retinue/core/agent'
import { jsonOrText } from '../json-or-text.ts'
import type { Verdict } from '../run/decide-call.ts'
import { callLines } from '../run/pending-text.ts'

/** Where a person is asked: at a terminal's prompt, or line by line. */
export interface Asker {
  say(text: string, tone: 'plain' | 'quiet' | 'bad'): void
  /** One line; `draft` stands in it already, where that can be. Undefined: the person leaves the question for later. */
  ask(question: string, draft?: string): Promise<string | undefined>
}

const KEYS = 'y approves · n declines · e edits the arguments · Esc, or l, leaves it for later'

/** Shows a call that waits, with who asks and with which arguments, and has it decided; undefined: later. */
export async function askAbout(call: PendingToolCall, asker: Asker): Promise<Verdict | undefined> {
  asker.say(callLines(call, '"retinue approvals --json" shows all of it, and so does e').join('\n'), 'plain')
  if (!call.requiresApproval) return askForAnswer(asker)
  asker.say(KEYS, 'quiet')
  for (;;) {
    const key = (await asker.ask('approve? y/n/e'))?.trim().toLowerCase()
    switch (key) {
      case 'y':
      case 'yes':
        return { type: 'approve' }
      case 'n':
      case 'no': {
        const reason = await asker.ask('why not? (may be empty)')
        if (reason !== undefined) return { type: 'decline', ...(reason.trim() === '' ? {} : { reason }) }
        break
      }
      case 'e':
      case 'edit': {
        const edited = await askForArguments(asker, draftOf(call.args))
        if (edited) return edited
        break
      }
      case undefined:
      case 'l':
      case 'later':
        return undefined
      default:
        asker.say(KEYS, 'quiet')
    }
  }
}

/** Asks for other arguments until they are JSON; undefined: the call is looked at again. */
export async function askForArguments(asker: Asker, draft: string): Promise<Verdict | undefined> {
  let text = draft
  for (;;) {
    const typed = await asker.ask('arguments', text)
    if (typed === undefined) return undefined
    text = typed
    try {
      return { type: 'approve', args: JSON.parse(typed) }
    } catch (error) {
      asker.say(`That is no JSON: ${error instanceof Error ? error.message : String(error)}`, 'bad')
    }
  }
}

async function askForAnswer(asker: Asker): Promise<Verdict | undefined> {
  asker.say('Your answer: JSON, or a text · Esc leaves it for later', 'quiet')
  for (;;) {
    const typed = await asker.ask('answer')
    if (typed === undefined) return undefined
    if (typed.trim() !== '') return { type: 'answer', data: jsonOrText(typed) }
  }
}

/** The arguments as one line that can be edited. What could steer a terminal stands in it as JSON can say it. */
export function draftOf(args: unknown): string {
  return (JSON.stringify(args) ?? '').replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, escaped)
}

function escaped(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  )
}
