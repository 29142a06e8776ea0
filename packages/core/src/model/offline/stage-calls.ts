import { type Carried, carriedTo } from './carried.ts'
import { joinClauses } from './clauses.ts'
import type { Conversation } from './conversation.ts'
import { numbersIn } from './extract.ts'
import { listCalls, readCalls } from './file-calls.ts'
import { fillArguments } from './fill-arguments.ts'
import type { FillContext } from './fill-context.ts'
import type { Material } from './framing.ts'
import { materialsFor, promptFor, type Results, type StageCalls } from './handed.ts'
import type { JsonRecord } from './json.ts'
import { keywordsOf } from './keywords.ts'
import { namesIn, sideBySide } from './names.ts'
import type { Plan } from './plan.ts'
import { resolve, typeOf } from './schema.ts'
import { refersBack } from './signals.ts'
import { inlineText, type Stage } from './stage.ts'
import { nameWords } from './tokens.ts'
import { requiredOf, schemaProperties, type ToolCard } from './tool-card.ts'

const MOST_A_STAGE = 8
const MOST_SEARCHES = 4

/** The calls that a stage makes, from the request and from what the stages before it brought. */
export function callsOf(stage: Stage, plan: Plan, conversation: Conversation, results: Results): StageCalls {
  const materials = materialsFor(stage, plan, conversation, results)
  if (stage.card.delegation) return { inputs: [{ prompt: promptFor(stage, plan, materials) }], missing: [] }
  if (stage.card.files === 'list') return listCalls(stage)
  if (stage.card.files === 'read') return readCalls(stage, plan, conversation, results)
  const carried = carriedTo(stage, conversation, results)
  const inputs: JsonRecord[] = []
  const missing = new Set<string>()
  for (const clauses of groupsOf(stage)) {
    for (const { text, name, names } of callsFor(stage.card, clauses)) {
      const filled = fillArguments(
        stage.card.schema,
        contextFor(stage, text, plan, { name, names, materials, carried }),
      )
      if (filled.ok) inputs.push(filled.value)
      else for (const each of filled.missing) missing.add(each)
    }
  }
  const most = stage.card.finder ? MOST_SEARCHES : MOST_A_STAGE
  return { inputs: inputs.slice(0, most), missing: [...missing] }
}

interface OneCall {
  text: string
  name: string
  names: readonly string[]
}

/** A search asks one thing of one name; any other tool takes the clauses that belong together at once. */
function callsFor(card: ToolCard, clauses: readonly string[]): OneCall[] {
  const whole = clauses.join(' ')
  const names = namesFor(card, whole)
  const [single] = namesIn(whole, card.known)
  if (!card.finder || clauses.length === 1 || (names.length === 0 && !single)) {
    return (names.length > 0 ? names : ['']).map((name) => ({ text: whole, name, names }))
  }
  const parts = clauses.filter((clause) => keywordsOf(clause, names) !== '')
  const about = names.length > 0 ? names : [single?.text ?? '']
  if (about.length * parts.length > MOST_SEARCHES) return about.map((name) => ({ text: whole, name, names }))
  return parts.flatMap((text) =>
    names.length === 0 && namesIn(text, card.known).length > 0
      ? [{ text, name: '', names }]
      : about.map((name) => ({ text, name, names })),
  )
}

/** Clauses that lean on the one before belong to the same call. */
function groupsOf(stage: Stage): string[][] {
  const groups: string[][] = []
  for (const clause of stage.clauses) {
    const last = groups.at(-1)
    if (last !== undefined && stage.attached?.has(clause)) last.push(joinClauses([last.pop() ?? '', clause]))
    else if (last !== undefined && (refersBack(clause) || stage.card.transformer)) last.push(clause)
    else groups.push([clause])
  }
  return groups
}

const ABOUT_ONE = new Set(
  'query q search keyword keywords term topic subject city location country place region town state name person company entity team product symbol title employee user customer author artist service server host player animal brand dish'.split(
    ' ',
  ),
)

/** One call for each name set side by side, where the tool takes one. */
function namesFor(card: ToolCard, text: string): string[] {
  const names = sideBySide(text, card.known)
  if (names.length < 2 || card.transformer) return []
  const properties = schemaProperties(card.schema)
  const texts = requiredOf(card.schema).filter((key) => typeOf(resolve(properties[key], card.schema)) === 'string')
  const about = texts.filter((key) => nameWords(key).some((word) => ABOUT_ONE.has(word)))
  return about.length === 1 || (card.finder && texts.length === 1) ? names : []
}

interface Handed {
  name: string
  names: readonly string[]
  materials: readonly Material[]
  carried: readonly Carried[]
}

function contextFor(stage: Stage, text: string, plan: Plan, { name, names, materials, carried }: Handed): FillContext {
  const properties = schemaProperties(stage.card.schema)
  const texts = requiredOf(stage.card.schema).filter(
    (key) => typeOf(resolve(properties[key], stage.card.schema)) === 'string',
  )
  const content = materials.map((material) => material.text).join('\n\n')
  return {
    text,
    whole: plan.task,
    content,
    inline: inlineText(text),
    name,
    others: names.filter((other) => other !== name),
    finder: stage.card.finder,
    used: new Set(),
    resultNumbers: refersBack(text) ? numbersIn(content.slice(0, 2000)).map((number) => number.value) : [],
    single: texts.length === 1,
    transformer: stage.card.transformer,
    known: stage.card.known,
    alone: requiredOf(stage.card.schema).length < 2,
    carried,
    about: `${nameWords(stage.card.name).join(' ')}. ${stage.card.description}`,
  }
}
