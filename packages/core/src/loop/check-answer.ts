import { RetinueError } from '../errors/retinue-error.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import { ABORTED } from '../shared/abort.ts'
import type { Checked, CompiledSchema } from '../tools/schema.ts'
import { withoutNulls } from '../tools/strict-schema.ts'
import type { IterationFacts } from './next-step.ts'
import { addMessage, emit, type Run } from './run.ts'

/** Checks a final answer against the schema that it must fit, if there is one; one repair is asked for. */
export async function checkAnswer(run: Run, schema: CompiledSchema, text: string): Promise<IterationFacts['answer']> {
  const parsed = parseObject(text)
  const checked = parsed.ok
    ? await run.abort.race(checkLeniently(schema, parsed.value))
    : { ok: false as const, issues: parsed.reason }
  if (checked === ABORTED) return 'unchecked'
  if (checked.ok) {
    run.state.object = checked.value
    emit(run, 'object', { object: checked.value })
    return 'fits'
  }
  run.state.object = undefined
  run.error = new RetinueError({
    code: 'answer-invalid',
    message: `The answer of "${run.agentId}" does not fit its schema: ${checked.issues}`,
    hint: 'Say in the instructions what the answer must hold, or loosen the schema.',
  })
  return run.state.repaired ? 'unfit' : 'repairable'
}

/** Models that are held to every field write null for what they leave out. */
async function checkLeniently(schema: CompiledSchema, value: unknown): Promise<Checked> {
  const checked = await schema.check(value)
  if (checked.ok) return checked
  const again = await schema.check(withoutNulls(value, schema.jsonSchema))
  return again.ok ? again : checked
}

/** Asks the model once to mend its answer. */
export function askForRepair(run: Run): void {
  const { state } = run
  state.repaired = true
  const issues = run.error?.message ?? ''
  const schema = JSON.stringify(run.answer?.jsonSchema)
  addMessage(run, frameworkNote(`${issues}. Answer again with JSON alone that fits this schema: ${schema}`, 'repair'))
  run.error = undefined
}

/** The JSON of an answer; models like to put it between fences. */
function parseObject(text: string): { ok: true; value: unknown } | { ok: false; reason: string } {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)
  try {
    return { ok: true, value: JSON.parse(fenced?.[1] ?? text) }
  } catch (error) {
    return { ok: false, reason: `it is no JSON (${error instanceof Error ? error.message : 'unreadable'})` }
  }
}
