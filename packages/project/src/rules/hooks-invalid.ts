import { DELEGATION_OPTIONS, type OptionForm } from '../facts/delegation-options.ts'
import type { HookFact } from '../facts/facts.ts'
import { unknownNameFix } from '../names.ts'
import { aKind, propertyPlace } from './places.ts'
import type { Rule } from './rule.ts'

/** B3, B11.2: what core would refuse when the agent runs. Members that the config's win over are not looked at (B11.8). */
export const hooksInvalid: Rule = {
  code: 'hooks-invalid',
  severity: 'error',
  why: 'hooks.ts holds delegation options, and every run of an agent with a wrong one would fail',
  *check(context) {
    for (const { agent, hooks = [] } of context.plans) {
      for (const hook of hooks) {
        const fault = faultOf(hook)
        if (fault === undefined || agent.hooks === undefined) continue
        const place = propertyPlace(context, agent.hooks.file, [hook.name], fault.part)
        yield { message: fault.message, place, agentPath: agent.path, fix: fault.fix }
      }
    }
  },
}

interface Fault {
  readonly part: 'key' | 'value'
  readonly message: string
  readonly fix: string
}

function faultOf({ name, kind, text }: HookFact): Fault | undefined {
  const form = DELEGATION_OPTIONS.get(name)
  if (form === undefined) {
    const fix = unknownNameFix(name, [...DELEGATION_OPTIONS.keys()])
    return { part: 'key', message: `"${name}" means nothing here`, fix }
  }
  // As in other options, a member without a value is one that is left out.
  if (kind === 'undefined' || fits(form, kind, text)) return undefined
  const what = text === undefined ? aKind(kind) : JSON.stringify(text)
  return { part: 'value', message: `${name} is ${what}`, fix: `write ${written(name, form)}, or leave ${name} out` }
}

function fits(form: OptionForm, kind: string, text: string | undefined): boolean {
  return typeof form === 'string' ? kind === form : text !== undefined && form.includes(text)
}

function written(name: string, form: OptionForm): string {
  if (form === 'function') return `${name}: (context) => { … }`
  if (form === 'boolean') return `${name}: true`
  return `${name}: ${form.map((word) => `'${word}'`).join(' or ')}`
}
