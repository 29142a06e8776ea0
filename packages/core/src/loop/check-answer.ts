import { RetinueError } from '../errors/retinue-error.ts'
import { frameworkNote } from '../messages/framework-note.ts'
import type { CompiledSchema } from '../tools/schema.ts'
import type { IterationFacts } from './next-step.ts'
import { addMessage, emit, type Run } from './run.ts'

/** Checks a final answer against the schema that it must fit, if there is one; one repair is asked for. */
export async function checkAnswer(run: Run, schema: CompiledSchema, text: string): Promise<IterationFacts['answer']> {
  const parsed = parseObject(text)
  const checked = parsed.ok ? await schema.check(parsed.value) : { ok: false as const, issues: parsed.reason }
  if (checked.ok) {
    run.state.object = checked.value
    emit(run, 'object', { object: checked.value })
    return 'fits'
  }
  run.error = new RetinueError({
    code: 'answer-invalid',
    message: `The answer of "${run.agentId}" does not fit its outputSchema: ${checked.issues}`,
    hint: 'Say in the instructions what the answer must hold, or loosen the schema.',
  })
  return run.state.repaired ? 'unfit' : 'repairable'
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
