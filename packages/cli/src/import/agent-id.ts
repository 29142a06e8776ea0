import { legalName } from '@retinue/project'
import type { ESTree } from 'rolldown/utils'
import { Visitor } from 'rolldown/utils'
import { valuesOf } from './agent-keys.ts'
import { nameOf } from './mastra-options.ts'
import { plain } from './plain-expression.ts'

/**
 * The id of an agent of Mastra that has none: what the application calls it, else its name, else its variable. Undefined where it has
 * one, or may have one that is not seen.
 */
export function missingId(
  program: ESTree.Program,
  node: ESTree.NewExpression,
  keyOf: (names: readonly string[]) => string | undefined,
): string | undefined {
  const options = node.arguments[0] === undefined ? undefined : plain(node.arguments[0])
  if (options?.type !== 'ObjectExpression') return undefined
  const isSeen = options.properties.every((property) => property.type === 'Property' && !property.computed)
  const given = valuesOf(options)
  if (!isSeen || given.has('id')) return undefined
  const { variable, names } = namesOf(program, node)
  const name = given.get('name')
  const said = name?.type === 'Literal' && typeof name.value === 'string' && name.value.trim() !== '' ? name.value : ''
  return legalName(keyOf(names) ?? keyAround(program, node) ?? (said || (variable ?? 'agent')))
}

interface Names {
  readonly variable: string | undefined
  /** The variable, and by which names others import it. */
  readonly names: readonly string[]
}

/** The names of what stands at the top of a module. */
function namesOf(program: ESTree.Program, node: ESTree.Node): Names {
  const id = declarations(program).find(({ init }) => init !== null && plain(init) === node)?.id
  const variable = id?.type === 'Identifier' ? id.name : undefined
  const exported = program.body.flatMap((statement): string[] => {
    if (statement.type === 'ExportDefaultDeclaration') {
      const value = plain(statement.declaration)
      return value === node || (variable !== undefined && nameOf(value) === variable) ? ['default'] : []
    }
    if (variable === undefined || statement.type !== 'ExportNamedDeclaration' || statement.source !== null) return []
    const own = statement.specifiers.filter(({ local }) => nameOf(local) === variable)
    return own.flatMap((specifier) => nameOf(specifier.exported) ?? [])
  })
  return { variable, names: variable === undefined ? exported : [variable, ...exported] }
}

function declarations(program: ESTree.Program): readonly ESTree.VariableDeclarator[] {
  return program.body.flatMap((statement) => {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    return node?.type === 'VariableDeclaration' ? node.declarations : []
  })
}

/** The key of an agent that is made where it is named: `agents: { key: new Agent(…) }`. */
function keyAround(program: ESTree.Program, node: ESTree.Node): string | undefined {
  let key: string | undefined
  new Visitor({
    Property(property) {
      if (!property.computed && plain(property.value) === node) key = nameOf(property.key)
    },
  }).visit(program)
  return key
}
