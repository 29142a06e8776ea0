import { isTopLevel } from '../discover/agent-dir.ts'
import { type AgentPlan, idOf, plansByDir } from '../plan.ts'

const INDENT = '  '

/**
 * The file that tells types of a project's agents: their ids, the keys of their subagents, and the modules of their tools. `pathTo`
 * gives the way from that file to one of the project.
 */
export function renderTypes(plans: readonly AgentPlan[], pathTo: (file: string) => string): string {
  const byDir = plansByDir(plans)
  const render = (plan: AgentPlan, indent: string): string[] => {
    const inner = indent + INDENT
    const children = plan.subagents.flatMap(({ dir }) => byDir.get(dir) ?? [])
    const tools = plan.tools.flatMap(({ key, from, file }) =>
      from === 'file' ? [`${quoted(key)}: typeof import(${quoted(pathTo(file))}).default`] : [],
    )
    const coded = plan.coded.map(
      ({ key, agent }) => `${quoted(key)}: { id: ${quoted(agent?.id ?? key)}; tools: {}; subagents: {} }`,
    )
    return [
      `${indent}${quoted(plan.agent.key)}: {`,
      `${inner}id: ${quoted(idOf(plan))}`,
      ...block(
        'tools',
        tools.map((line) => [`${inner}${INDENT}${line}`]),
        inner,
      ),
      ...block(
        'subagents',
        [
          ...children.map((child) => render(child, inner + INDENT)),
          ...coded.map((line) => [`${inner}${INDENT}${line}`]),
        ],
        inner,
      ),
      `${indent}}`,
    ]
  }
  const roots = plans.filter(({ agent }) => isTopLevel(agent)).map((plan) => render(plan, INDENT.repeat(3)))
  return [
    '// Written by `retinue check`: what types know of the agents in this project. It is written anew each time.',
    "import '@retinue/project'",
    '',
    "declare module '@retinue/project' {",
    `${INDENT}interface ProjectTypes {`,
    ...block('agents', roots, INDENT.repeat(2)),
    `${INDENT}}`,
    '}',
    '',
  ].join('\n')
}

function block(name: string, entries: readonly (readonly string[])[], indent: string): string[] {
  return entries.length === 0 ? [`${indent}${name}: {}`] : [`${indent}${name}: {`, ...entries.flat(), `${indent}}`]
}

/** As our own sources write texts. A name can hold whatever a folder's name can. */
function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
