import type { SkillFile } from '../discover/agent-dir.ts'
import { LineIndex } from '../discover/line-index.ts'
import { joinPath, normalizePath, type SourceTree } from '../tree/source-tree.ts'
import { proseOf } from './prose.ts'
import type { Rule, Violation } from './rule.ts'

/** What the text of a skill sends the model to, and is not there. */
export const skillReferenceMissing: Rule = {
  code: 'skill-reference-missing',
  severity: 'warning',
  why: 'a model that is sent to a file that is not there loses a step over it, or goes on without what it says',
  *check({ plans, discovered: { tree } }) {
    for (const { agent, skills } of plans) {
      for (const { text } of skills) {
        for (const violation of text === undefined ? [] : missing(tree, text))
          yield { ...violation, agentPath: agent.path }
      }
    }
  },
}

function* missing(tree: SourceTree, skill: SkillFile): Iterable<Omit<Violation, 'agentPath'>> {
  const { file, folder, body, head } = skill
  const { text } = head.shape
  const lines = new LineIndex(text)
  const told = new Set<string>()
  for (const { path, start } of pathsIn(body)) {
    const target = problemWith(tree, folder, path)
    if (target === undefined || told.has(path)) continue
    told.add(path)
    const from = text.length - body.length + start
    yield { ...target, place: { file, at: lines.at(from, from + path.length) } }
  }
}

function problemWith(
  tree: SourceTree,
  folder: string | undefined,
  path: string,
): { message: string; fix: string } | undefined {
  const inside = normalizePath(path)
  if (inside === undefined)
    return {
      message: `the skill sends the model to "${path}", outside its folder`,
      fix: 'copy it to "references/" and name it so: nothing outside the folder of a skill is read',
    }
  if (folder === undefined)
    return {
      message: `the skill sends the model to "${path}", and a skill that is one file has no references`,
      fix: 'make it a folder with a SKILL.md and "references/"',
    }
  if (tree.kindOf(joinPath(folder, inside)) !== undefined) return undefined
  return {
    message: `the skill sends the model to "${path}", which is not there`,
    fix: `add "${joinPath(folder, inside)}", or correct the path`,
  }
}

const LINK = /\]\(\s*<?(?<path>[^)\s<>]+)>?(?:\s+["'][^)]*)?\)/g
/** A path that is only named: in the folders of a skill, and with an extension, so that prose is not taken for one. */
const NAMED = /(?<![\w./-])(?<path>(?:references|assets|scripts)\/[\w./-]*\.[A-Za-z0-9]+)/g

/** The relative paths that a text sends to, with their offsets. What stands in a block of code is an example, and not looked at. */
function pathsIn(body: string): { path: string; start: number }[] {
  const prose = proseOf(body)
  const found = [...prose.matchAll(LINK), ...prose.matchAll(NAMED)].map((match) => {
    const written = match.groups?.['path'] ?? ''
    return { path: written.replace(/[?#].*$/, ''), start: match.index + match[0].indexOf(written) }
  })
  const relative = found.filter(({ path }) => path !== '' && !/^(?:[a-z][a-z0-9+.-]*:|\/)/i.test(path))
  return relative.sort((a, b) => a.start - b.start)
}
