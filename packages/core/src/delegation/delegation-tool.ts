import { isRetinueError, RetinueError } from '../errors/retinue-error.ts'
import { DELEGATION } from '../loop/budget.ts'
import { type CallRef, type LoopTool, type Run, WAITING } from '../loop/run.ts'
import { noRoomFor } from '../loop/within-budget.ts'
import { disarm } from '../messages/framework-note.ts'
import { toJson } from '../shared/json.ts'
import { isObject } from '../shared/records.ts'
import { failedWith, type Outcome } from '../tools/outcome.ts'
import { type Checked, type CompiledSchema, compileSchema, type Schema } from '../tools/schema.ts'
import { begin, type DelegationOrder } from './begin-delegation.ts'
import { boundsError } from './bounds.ts'
import { delegate, takeDown } from './delegate.ts'
import type { DelegateTarget } from './delegate-target.ts'
import { referencesError } from './references.ts'
import { checkReferring, type Referring, referringSchema } from './referring-input.ts'
import type { Delegated } from './review.ts'
import { toModelJson } from './to-model-json.ts'
import { answerOf, toModelText, whatHappened } from './to-model-text.ts'

const PROMPT_SCHEMA = {
  type: 'object',
  properties: {
    prompt: {
      type: 'string',
      description: 'The task, with everything that is needed to do it. It is all that is asked of the agent.',
    },
  },
  required: ['prompt'],
  additionalProperties: false,
} as const

/** The tool through which a parent's model delegates to the agent under `key`. */
export function delegationTool(key: string, target: DelegateTarget): LoopTool {
  const typed = target.inputSchema === undefined ? undefined : compileInput(key, target.inputSchema)
  const description = target.description?.trim() ? target.description : `Delegates to the agent "${key}".`
  const inputSchema = typed?.jsonSchema ?? { ...PROMPT_SCHEMA }
  const check = typed?.check ?? checkPrompt
  const definition = { type: 'function', name: key, description, inputSchema } as const
  const isTyped = typed !== undefined
  return {
    definition,
    check,
    delegatesTo: target.id,
    ownTerms: () => target.backgroundTerms?.(),
    takeDown,
    begin: (args, call, run) => beginOnly(key, target, isTyped, args, NO_REFERENCES, call, run),
    execute: (args, call, run) => execute(key, target, isTyped, args, NO_REFERENCES, call, run),
    withReferences: () => ({
      definition: { ...definition, inputSchema: referringSchema(key, inputSchema) },
      check: (args) => checkReferring(args, check),
      delegatesTo: target.id,
      ownTerms: () => target.backgroundTerms?.(),
      takeDown,
      begin: (args, call, run) => {
        const { rest, references } = args as Referring
        return beginOnly(key, target, isTyped, rest, references, call, run)
      },
      execute: (args, call, run) => {
        // One that goes on has its arguments already.
        const { rest, references } = call.delegation ? { rest: args, references: NO_REFERENCES } : (args as Referring)
        return execute(key, target, isTyped, rest, references, call, run)
      },
    }),
  }
}

const NO_REFERENCES: readonly string[] = []

function compileInput(key: string, schema: Schema): CompiledSchema {
  const compiled = compileSchema(schema, `subagent "${key}"`)
  if (compiled.jsonSchema.type === 'object') return compiled
  throw new RetinueError({
    code: 'schema-unsupported',
    message: `The inputSchema of subagent "${key}" is no object at its root.`,
    hint: 'Providers take objects only: put what it describes in a field, such as z.object({ value: … }).',
    data: { tool: key },
  })
}

function checkPrompt(args: unknown): Checked {
  const { prompt, ...rest } = isObject(args) ? args : {}
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return { ok: false, issues: `${unknown}: it is not known; the only field is prompt` }
  if (typeof prompt === 'string') return { ok: true, value: args }
  return { ok: false, issues: prompt === undefined ? 'prompt: it is missing' : 'prompt: it must be a text' }
}

async function execute(
  key: string,
  target: DelegateTarget,
  typed: boolean,
  args: unknown,
  references: readonly string[],
  call: CallRef,
  run: Run,
): Promise<Outcome | typeof WAITING> {
  if (call.delegation) return endOf(run, key, target, await delegate(run, call, target, undefined))
  const order = orderOf(key, target, typed, args, references, run)
  if (isRetinueError(order)) return failedWith(order)
  const delegated = await delegate(run, call, target, order)
  return endOf(run, key, target, delegated)
}

/** Hooks and filter have their say and the delegation is opened, and whoever has it executed goes on from there. */
async function beginOnly(
  key: string,
  target: DelegateTarget,
  typed: boolean,
  args: unknown,
  references: readonly string[],
  call: CallRef,
  run: Run,
): Promise<Outcome | undefined> {
  const order = orderOf(key, target, typed, args, references, run)
  if (isRetinueError(order)) return failedWith(order)
  const ended = await begin(run, call, target, order)
  return ended && (endOf(run, key, target, ended) as Outcome)
}

/** What is asked of whom; why it can't be asked, if so. */
function orderOf(
  key: string,
  target: DelegateTarget,
  typed: boolean,
  args: unknown,
  references: readonly string[],
  run: Run,
): DelegationOrder | RetinueError {
  const bounds = boundsError(run, key, target) ?? referencesError(run, references)
  if (bounds) return bounds
  const said = typed ? toJson(args) : { ok: true as const, value: (args as { prompt: string }).prompt }
  if (!said.ok) return unsayable(key, said.reason)
  const prompt = disarm(typeof said.value === 'string' ? said.value : JSON.stringify(said.value))
  if (prompt.trim() === '') return emptyPrompt(key)
  const over = noRoomFor(run, DELEGATION, key)
  return over ?? { key, prompt, input: typed ? args : undefined, references }
}

function endOf(
  run: Run,
  key: string,
  target: DelegateTarget,
  delegated: Delegated | RetinueError | typeof WAITING,
): Outcome | typeof WAITING {
  if (delegated === WAITING) return WAITING
  if (isRetinueError(delegated)) return failedWith(delegated)
  const whole = run.delegation.includeSubAgentToolResultsInModelContext ?? false
  return outcomeOf(key, delegated, whole, target.relay ?? false)
}

function outcomeOf(key: string, delegated: Delegated, whole: boolean, relays: boolean): Outcome {
  const { envelope, resultText, feedback, bail } = delegated
  const { sources, files } = envelope
  // What a hook put in its place has no object.
  const object = resultText === undefined ? envelope.object : undefined
  const text = toModelText(key, envelope)
  const shown = resultText === undefined ? text : disarm(resultText)
  const named = envelope.ref === undefined ? shown : `${shown}\n\n[ref: ${envelope.ref}]`
  const output = whole && resultText === undefined ? toModelJson(envelope) : ({ type: 'text', value: named } as const)
  return {
    kind: 'result',
    result: envelope,
    output,
    ...(envelope.status === 'failed' ? { failure: whatHappened(envelope) } : {}),
    ...(feedback?.trim() ? { feedback } : {}),
    // The run ends with the answer alone, or with the line that says why there is none.
    ...(bail ? { bail: envelope.text.trim() === '' ? text : envelope.text } : {}),
    ...(relays && envelope.status === 'completed' && shown.trim() !== ''
      ? { relay: { text: resultText ?? answerOf(envelope), object, sources, files } }
      : {}),
  }
}

/** The child's inputSchema made something of the arguments that the child can't be told. */
function unsayable(key: string, reason: string): RetinueError {
  return new RetinueError({
    code: 'delegation-invalid',
    message: `The input of "${key}" can't be told to it: ${reason}. Nothing was run.`,
    hint: 'Its inputSchema must give what JSON can carry.',
  })
}

function emptyPrompt(key: string): RetinueError {
  return new RetinueError({
    code: 'delegation-invalid',
    message: `The delegation to "${key}" has an empty prompt. Nothing was run.`,
    hint: 'Say in `prompt` what is to be done, with everything that is needed to do it.',
  })
}
