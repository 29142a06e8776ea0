import type { Conversation } from './conversation.ts'
import { pathsIn } from './extract.ts'
import { filesToRead, filesToSearch } from './files.ts'
import type { Results, StageCalls } from './handed.ts'
import type { Plan } from './plan.ts'
import type { Stage } from './stage.ts'
import { isPathName, requiredOf, schemaProperties } from './tool-card.ts'

/** A listing starts at the top unless the request names a folder. */
export function listCalls(stage: Stage): StageCalls {
  const { schema } = stage.card
  const key = Object.keys(schemaProperties(schema)).find(isPathName)
  const folder =
    /\b(?:folder|directory)\s+[`"“']?([\w./-]{1,200})|[`"“'\s]([\w.-]+(?:\/[\w.-]+)*)\/?[`"”']?\s+(?:folder|directory)\b/i.exec(
      stage.clauses.join('. '),
    )
  const named = [folder?.[1] ?? folder?.[2]].find(
    (name) => name !== undefined && !/^(?:the|this|that|my|a|in|of|and|is|for)$/i.test(name),
  )
  const needed = requiredOf(schema).some((name) => name === key)
  const path = named ?? (needed ? '.' : undefined)
  return { inputs: [key !== undefined && path !== undefined ? { [key]: path } : {}], missing: [] }
}

export function readCalls(stage: Stage, plan: Plan, conversation: Conversation, results: Results): StageCalls {
  const { card } = stage
  const key = Object.keys(schemaProperties(card.schema)).find((name) => /path|file|name/i.test(name)) ?? 'path'
  const asked = pathsIn(stage.clauses.join('. ')).map((found) => found.text)
  const listings = stage.after.flatMap((before) =>
    before.card.files === 'list' ? [...(results.get(before) ?? [])] : [],
  )
  const paths =
    asked.length > 0
      ? asked.slice(0, 4)
      : stage.searches
        ? filesToSearch(listings, plan.task)
        : filesToRead(listings, plan.task, conversation.instructions, stage.why === 'files')
  const missing = paths.length === 0 && stage.why === 'asked' && !stage.searches ? [`\`${key}\``] : []
  return { inputs: [...new Set(paths)].map((path) => ({ [key]: path })), missing }
}
