import { halvesOf, joinClauses, splitClauses } from './clauses.ts'
import { quotedIn } from './extract.ts'
import type { Fit, Router } from './route.ts'
import { isUnmetErrand, refersBack } from './signals.ts'
import { type Stage, waitsFor } from './stage.ts'
import { contentWords } from './tokens.ts'

/** Each clause to the tool that it fits; what fits none goes with a neighbour, or is an errand that no tool is for. */
export function assign(task: string, router: Router, gather: boolean): { stages: Stage[]; unmet: string[] } {
  const stages: Stage[] = []
  const unmet: string[] = []
  let waiting: string[] = []
  let previous: Stage[] = []
  for (const clause of splitClauses(task).flatMap((each) => halved(each, router))) {
    const fits = router.choose(clause.text, { gather })
    const [first] = stages.slice(-1)
    if (fits.length === 0) {
      if (clause.own || isUnmetErrand(clause.text) || isOwnQuestion(clause.text)) unmet.push(clause.text)
      else if (first) attach(first, clause.text)
      else waiting.push(clause.text)
      continue
    }
    const text = joinClauses([...waiting, clause.text])
    waiting = []
    const current = fits.map((fit) => stageFor(fit, text, stages))
    if (clause.later || leansOn(clause.text)) {
      for (const stage of current)
        stage.after.push(...previous.filter((each) => !current.includes(each) && !waitsFor(each, stage)))
    }
    previous = [...new Set([...previous, ...current])]
  }
  return { stages, unmet }
}

function attach(stage: Stage, text: string): void {
  stage.clauses.push(text)
  stage.attached = new Set([...(stage.attached ?? []), text])
}

/** A clause that works on what came before, and brings nothing of its own. */
function leansOn(text: string): boolean {
  return refersBack(text) && quotedIn(text).length === 0
}

function stageFor(fit: Fit, text: string, stages: Stage[]): Stage {
  const known = stages.find((stage) => stage.card === fit.card)
  if (known) {
    known.clauses.push(text)
    return known
  }
  const stage: Stage = { card: fit.card, clauses: [text], after: [], why: 'asked' }
  stages.push(stage)
  return stage
}

const ASKS = /^(?:what|who|whom|when|where|which|how|why)\b/i

/** A question that stands for itself, and says what it is about. */
function isOwnQuestion(text: string): boolean {
  return ASKS.test(text) && !refersBack(text) && contentWords(text).length > 1
}

/** A part of a clause; `own` marks one that asks for something whether or not a tool fits it. */
interface Part {
  text: string
  later: boolean
  own?: boolean
}

const THING_OF =
  /^(?:(?:what|how|who|where)\s+(?:is|are|was|were|do|does|did)\s+|what['’]s\s+)?(?:the|our|my|its|his|her|their)\s+(?:[\p{L}-]+\s+){1,4}?(?:of|for|in|on|at|from)\s+\S/iu

/** "How is the uptime of db-2 and the revenue of Q3?": two things of two, of which one may be nobody's. */
function twoThings([left, right]: [string, string]): boolean {
  const plain = left.replace(/^(?:please\s+)?(?:tell me|show me|give me|get|find|check|compare)\s+/i, '')
  return (THING_OF.test(plain) || THING_OF.test(`the ${plain}`)) && THING_OF.test(right)
}

function halved(clause: Part, router: Router): Part[] {
  for (const [left, right] of halvesOf(clause.text)) {
    const [a] = router.choose(left)
    const [b] = router.choose(right)
    if (twoThings([left, right]) && (a === undefined) !== (b === undefined) && (a ?? b)?.strong) {
      return [
        { text: left, later: clause.later, own: true },
        { text: right, later: false, own: true },
      ]
    }
    if (!a || !b || a.card === b.card || !a.strong) continue
    if (!b.strong && !(/\p{Ll}{3,}\s+of\s/u.test(right) && contentWords(right).length > 1)) continue
    return [{ text: left, later: clause.later }, ...halved({ text: right, later: false }, router)]
  }
  return [clause]
}
