import { lstatSync, readdirSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

const MODULE = /\.[mc]?[jt]sx?$/

/** Of files that are to be written in a project, those that are there already: also as a module with another extension. */
export function filesInTheWay(project: string, paths: Iterable<string>): readonly string[] {
  return [...paths].flatMap((path) => {
    const there = entriesOf(join(project, dirname(path)))
    if (there.includes(basename(path))) return [path]
    if (!MODULE.test(path)) return []
    const stem = basename(path, extname(path))
    const same = there.find((name) => MODULE.test(name) && basename(name, extname(name)) === stem)
    return same === undefined ? [] : [`${dirname(path)}/${same}`]
  })
}

/**
 * Of the agents' folders that are to be written, those that have something in them already: one agent would be made of both, and of
 * some files nobody would know. Names that differ in case alone are one agent.
 */
export function agentsInTheWay(project: string, app: string, paths: Iterable<string>): readonly string[] {
  const home = `${app}/agents`
  const keys = new Set(agentKeys(app, paths).map((key) => key.toLowerCase()))
  return entriesOf(join(project, home))
    .filter((name) => keys.has(name.toLowerCase()) && holdsSomething(join(project, home, name)))
    .map((name) => `${home}/${name}`)
}

/** Of the agents that are to be written, those that an application in code has, too: it wins over their folders. */
export async function agentsInCode(project: string, app: string, paths: Iterable<string>): Promise<readonly string[]> {
  // To know its agents its code is run, which takes a while.
  if (!entriesOf(join(project, app)).some((name) => basename(name, extname(name)) === 'index' && MODULE.test(name)))
    return []
  const { checkProject } = await import('@retinue/project')
  const { tree } = await checkProject(project, { dir: app })
  const coded = new Set(tree.agents.filter(({ inCode }) => inCode).map(({ key }) => key))
  return agentKeys(app, paths).filter((key) => coded.has(key))
}

/** The keys of the agents of which files are to be written. */
function agentKeys(app: string, paths: Iterable<string>): readonly string[] {
  const home = `${app}/agents/`
  const inside = [...paths].filter((path) => path.startsWith(home)).map((path) => path.slice(home.length))
  const keys = inside.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/')))
  return [...new Set(keys)]
}

function holdsSomething(path: string): boolean {
  if (!lstatSync(path).isDirectory()) return true
  return entriesOf(path).some((name) => holdsSomething(join(path, name)))
}

/** None where there is no such folder. What is there and can't be listed is told when it is written to. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
