import { LineIndex } from '../discover/line-index.ts'
import type { AgentPlan } from '../plan.ts'
import { configPlace, exportPlace } from './places.ts'
import type { Place, RuleContext } from './rule.ts'

/** A text that a model is told. */
export interface Prompt {
  readonly text: string
  /** Where a part of the text stands in the file that it comes from. */
  at(start: number, end: number): Place
}

/** The instructions that an agent will have, if they are known before it runs. */
export function instructionsOf(context: RuleContext, plan: AgentPlan): Prompt | undefined {
  const { agent, instructions, config } = plan
  if (instructions === 'markdown' && agent.markdown?.text !== undefined) {
    return markdownPrompt(agent.markdown.file, agent.markdown.text, 0)
  }
  if (instructions === 'body' && agent.agentFile !== undefined) {
    const { file, body, bodyLine } = agent.agentFile
    const before = body.split('\n').findIndex((line) => line.trim() !== '')
    return markdownPrompt(file, body, bodyLine - 1 - Math.max(0, before))
  }
  if (instructions === 'module' && agent.instructions !== undefined) {
    const fact = context.loaded.facts.get(agent.instructions.file)
    const text = fact?.kind === 'instructions' ? fact.instructions.text : undefined
    return codePrompt(context, text, exportPlace(context, agent.instructions.file))
  }
  if (instructions !== 'config' || typeof config !== 'object') return undefined
  return codePrompt(context, config.instructions.text, configPlace(context, agent, ['instructions'], 'value'))
}

/** The description that an agent's config gives it. */
export function descriptionOf(context: RuleContext, { agent, config }: AgentPlan): Prompt | undefined {
  if (typeof config !== 'object' || config.description.form !== 'text') return undefined
  return codePrompt(context, config.description.text, configPlace(context, agent, ['description'], 'value'))
}

function markdownPrompt(file: string, text: string, linesBefore: number): Prompt {
  let lines: LineIndex | undefined
  return {
    text,
    at(start, end) {
      lines ??= new LineIndex(text)
      const { line, column, length } = lines.at(start, end)
      return { file, at: { line: line + linesBefore, column, length } }
    },
  }
}

/** A text that a module made. What stands there as it was written is found again; of the rest, the value is the place. */
function codePrompt({ discovered }: RuleContext, text: string | undefined, value: Place): Prompt | undefined {
  if (text === undefined) return undefined
  return {
    text,
    at(start, end) {
      const source = discovered.modules.shape(value.file)?.text
      if (source === undefined || value.at === undefined) return value
      const lines = new LineIndex(source)
      const found = source.indexOf(text.slice(start, end), lines.offsetOf(value.at))
      return found === -1 ? value : { file: value.file, at: lines.at(found, found + end - start) }
    },
  }
}
