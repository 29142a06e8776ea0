// One function a rule. Each takes an import (or a use of a global) with its surroundings and gives back a finding or nothing.
//
// `ref` is the import, resolved by check-imports; `at` is `{ pkg, unit, inSrc, isTest, file, manifest }` of the importing file.
import { isBuiltin } from 'node:module'

/** Rules for every import, in the order in which they are asked: the first that objects speaks. */
export const importRules = [
  noSource,
  otherPackages,
  exportedSubpaths,
  testOnly,
  isolatedFolders,
  layers,
  noNode,
  declared,
]

function noSource(ref) {
  if (ref.kind === 'relative' && ref.escapes) {
    return {
      rule: 'exports',
      why: 'a path into another package works only in this repository, and makes a second copy of its modules',
      fix: 'import the package by its name, through a subpath that its package.json exports',
    }
  }
}

function otherPackages(ref, at) {
  if (ref.kind !== 'ours' || at.isTest || at.pkg.imports.includes(ref.name)) return
  if (ref.name === at.pkg.name) {
    return {
      rule: 'packages',
      why: 'inside a package, its own name leads to the public entry, and so around the layers in a circle',
      fix: 'use a relative path',
    }
  }
  const allowed = at.pkg.imports.join(', ') || 'no package of ours'
  return {
    rule: 'packages',
    why: at.pkg.why,
    fix: `${at.pkg.name} may import ${allowed}: move the code down, or hand it in as a parameter`,
  }
}

function exportedSubpaths(ref) {
  if (ref.kind !== 'ours' || ref.exported) return
  return {
    rule: 'exports',
    why: 'what is not exported is not there for users of the built package',
    fix: `use one of ${ref.subpaths.map((subpath) => subpath.replace('.', ref.name)).join(', ')}`,
  }
}

function testOnly(ref, at) {
  if (at.isTest) return
  const doubles = ref.target?.testOnly?.find(({ unit, subpath }) =>
    ref.kind === 'ours' ? ref.subpath === subpath : ref.unit === unit,
  )
  if (!doubles || doubles.allowed?.includes(at.file) || (ref.kind === 'relative' && at.unit === doubles.unit)) return
  return {
    rule: 'test-only',
    why: 'test doubles in production code would ship to users',
    fix: `only files named *.test.ts import ${doubles.unit}: move what you need out of it`,
  }
}

function isolatedFolders(ref, at) {
  if (at.isTest) return
  for (const island of at.pkg.isolated ?? []) {
    const finding = leavesIsland(ref, at, island) ?? entersIsland(ref, at, island)
    if (finding) return { rule: 'isolated', why: island.why, ...finding }
  }
}

function leavesIsland(ref, at, { folder, typesFrom }) {
  if (!within(at.inSrc, folder)) return
  if (ref.kind === 'relative' && within(ref.inSrc, folder)) return
  if (ref.kind === 'outside' && ref.typeOnly && typesFrom.includes(ref.name)) return
  return { fix: `${folder} may use its own files and types from ${typesFrom.join(', ')}: copy the few lines it needs` }
}

function entersIsland(ref, at, { folder, reachedFrom }) {
  if (ref.kind !== 'relative' || !within(ref.inSrc, folder) || within(at.inSrc, folder)) return
  if (ref.dynamic && at.unit === reachedFrom) return
  return { fix: `load it with a dynamic import() in ${reachedFrom}/` }
}

function layers(ref, at) {
  if (at.isTest || ref.kind !== 'relative' || ref.unit === at.unit) return
  const [from, to] = [at.pkg.place(at.unit), at.pkg.place(ref.unit)]
  if (!from || !to || to.height < from.height) return
  if (at.pkg.sideways?.some((edge) => edge.from === at.unit && edge.to === ref.unit)) return
  return {
    rule: 'layers',
    why: from.why,
    fix: `${at.unit} may import ${at.pkg.below(at.unit).join(', ') || 'nothing but itself'}: move what is shared down, or declare the interface here and have it handed in`,
  }
}

function noNode(ref, at) {
  if (at.isTest || ref.kind !== 'node' || !at.pkg.noNode) return
  return {
    rule: 'no-node',
    why: at.pkg.noNode,
    fix: 'declare what you need as a port and implement it in project or cli',
  }
}

function declared(ref, at) {
  if (at.isTest || ref.kind !== 'outside') return
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = at.manifest
  if (Object.hasOwn(dependencies, ref.name)) return
  const why = 'a user installs what package.json names; all else is there by luck'
  if (!Object.hasOwn(peerDependencies, ref.name)) {
    return { rule: 'dependencies', why, fix: `add ${ref.name} to the package's dependencies, or do without it` }
  }
  const optional = peerDependenciesMeta[ref.name]?.optional === true
  if (!optional || ref.typeOnly || ref.dynamic) return
  return {
    rule: 'dependencies',
    why: 'an optional peer may be missing: a static import of it breaks everybody who does not use it',
    fix: 'load it with a dynamic import() where it is needed',
  }
}

/** Names of the forbidden globals that a node uses, if its unit is one that must stay pure. */
export function impureUse(node, parent, key, at) {
  if (at.isTest) return
  const zone = at.pkg.pure?.find(({ units }) => units.includes(at.unit))
  const name = zone && (globalUse(zone, node, parent, key) ?? memberUse(zone, node) ?? constructorUse(zone, node))
  if (!name) return
  return { imported: name, rule: 'pure', why: zone.why, fix: 'ask the effects port for it (now, newId, callModel, …)' }
}

function globalUse({ globals }, node, parent, key) {
  if (node.type === 'MemberExpression' && isGlobalThis(node.object) && globals.includes(node.property.name)) {
    return node.property.name
  }
  if (node.type !== 'Identifier' || !globals.includes(node.name)) return
  const isName = (key === 'property' || key === 'key') && !parent.computed
  const isType =
    parent.type.startsWith('TS') && parent.type !== 'TSAsExpression' && parent.type !== 'TSNonNullExpression'
  return isName || isType ? undefined : node.name
}

function memberUse({ members }, node) {
  if (node.type !== 'MemberExpression') return
  const name = `${baseName(node.object)}.${node.property.name ?? node.property.value}`
  return members.includes(name) ? name : undefined
}

function constructorUse({ constructors }, node) {
  if (node.type !== 'NewExpression' && node.type !== 'CallExpression') return
  const name = baseName(node.callee)
  return constructors.includes(name) ? `new ${name}()` : undefined
}

const isGlobalThis = (node) => node.type === 'Identifier' && node.name === 'globalThis'
const baseName = (node) =>
  node.type === 'MemberExpression' && isGlobalThis(node.object) ? node.property.name : node.name
const within = (path, folder) => path === folder || path.startsWith(`${folder}/`)

/** What kind of thing a bare specifier names, apart from our own packages. */
export function outsideKind(specifier) {
  if (specifier.startsWith('#')) return { kind: 'internal' }
  if (isBuiltin(specifier)) return { kind: 'node' }
  const [scope, name] = specifier.split('/')
  return { kind: 'outside', name: scope.startsWith('@') ? `${scope}/${name}` : scope }
}
