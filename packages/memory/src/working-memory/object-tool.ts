import type { CompiledSchema } from '@retinue/core/memory'
import { createTool, type Tool } from '@retinue/core/tools'
import type { Notes } from './notes.ts'
import { mergedNotes, notesProblem, type ObjectNotes, parsedNotes } from './object-notes.ts'
import { patchSchema } from './patch-schema.ts'

const DESCRIPTION = `Changes your working memory. Give only the fields that change, each as it should be from now on, lists and inner objects whole; null takes a field away; the fields that you leave out stay. Call it only when you have learned something that will matter later, or a field is no longer true. Never make a value up.`

const CHANGED = 'Your working memory was changed meanwhile, twice. Call again.'

/** The tool that changes fields of notes. If somebody else wrote meanwhile, the change is made in what is there now. */
export function objectTool(notes: Notes, schema: CompiledSchema): Tool {
  // Changes of one step are made one after the other, so that none gets in another's way.
  let last: Promise<unknown> = Promise.resolve()
  const execute = (change: ObjectNotes): Promise<object> => {
    const done = last.then(() => changeNotes(notes, schema, change))
    last = done.catch(() => undefined)
    return done
  }
  return createTool({
    id: 'update-working-memory',
    description: DESCRIPTION,
    inputSchema: patchSchema(schema.jsonSchema),
    execute,
  })
}

async function changeNotes(notes: Notes, schema: CompiledSchema, change: ObjectNotes): Promise<object> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const merged = mergedNotes(schema, parsedNotes(notes.text), change)
    const problem = await notesProblem(schema, merged)
    if (problem !== undefined) return { saved: false, reason: `The notes would not fit: ${problem}` }
    if (await notes.replace(JSON.stringify(merged))) return { saved: true }
  }
  return { saved: false, reason: CHANGED }
}
