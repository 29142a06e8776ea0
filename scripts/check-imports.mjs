// Checks every import against import-graph.mjs. `node scripts/check-imports.mjs [root]`; exit 1 on findings.
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { graph as ourGraph, testFile } from './import-graph.mjs'
import { importRules, impureUse, outsideKind } from './lib/import-rules.mjs'
import { readImports } from './lib/read-imports.mjs'
import { listDirs, listSources, parseFile, readJson, walk } from './lib/sources.mjs'

/** All findings in the tree at `root`: `{ file, line, imported, rule, why, fix }`, and how much was looked at. */
export function checkImports(root, graph = ourGraph) {
  const packages = readPackages(root, graph)
  const result = { files: 0, imports: 0, findings: graphFaults(packages) }
  for (const pkg of packages) {
    for (const file of listSources(root, `${pkg.dir}/src`)) {
      result.files++
      result.imports += checkFile(root, packages, pkg, file, result.findings)
    }
  }
  return result
}

function checkFile(root, packages, pkg, file, findings) {
  const inSrc = file.slice(`${pkg.dir}/src/`.length)
  const at = { pkg, file, inSrc, unit: unitOf(inSrc), isTest: testFile.test(file), manifest: pkg.manifest }
  const unknown = unknownUnit(at)
  // Once for a folder, not for each of its files.
  if (unknown && !findings.some((other) => other.fix === unknown.fix)) findings.push({ file, line: 1, ...unknown })
  const parsed = parseFile(root, file)
  const imports = readImports(parsed)
  for (const entry of imports) {
    const ref = { ...entry, ...resolve(packages, at, entry.specifier) }
    const finding = importRules.map((rule) => rule(ref, at)).find(Boolean)
    if (finding) findings.push({ file, line: parsed.lineAt(entry.offset), imported: entry.specifier, ...finding })
  }
  walk(parsed.program, (node, parent, key) => {
    const finding = impureUse(node, parent, key, at)
    if (finding) findings.push({ file, line: parsed.lineAt(node.start), ...finding })
  })
  return imports.length
}

/** What a specifier means to the file that holds it. */
function resolve(packages, at, specifier) {
  if (specifier.startsWith('.')) {
    const path = posix.join(posix.dirname(at.file), specifier)
    const src = `${at.pkg.dir}/src/`
    const escapes = !path.startsWith(`${at.pkg.dir}/`)
    const inSrc = path.startsWith(src) ? path.slice(src.length) : ''
    return { kind: 'relative', escapes, inSrc, unit: unitOf(inSrc), target: at.pkg }
  }
  const target = packages.find(({ name, isApp }) => !isApp && (specifier === name || specifier.startsWith(`${name}/`)))
  if (!target) return outsideKind(specifier)
  const subpath = `.${specifier.slice(target.name.length)}`
  const subpaths = Object.keys(target.manifest.exports ?? {})
  return { kind: 'ours', name: target.name, subpath, subpaths, exported: subpaths.includes(subpath), target }
}

const unitOf = (inSrc) => inSrc.split('/')[0]

function unknownUnit({ pkg, unit, isTest }) {
  if (isTest || !pkg.layers || pkg.place(unit)) return
  return {
    imported: unit,
    rule: 'unknown-unit',
    why: 'a folder without a place in the graph could import anything, and be imported by anything',
    fix: `add "${unit}" to a layer of ${pkg.name} in scripts/import-graph.mjs, with the reason why it stands there`,
  }
}

/** The graph's packages that are in the tree, and each example as one more that nobody imports. */
function readPackages(root, graph) {
  const known = Object.entries(graph.packages).map(([name, entry]) => ({ ...entry, name }))
  const apps = listDirs(root, graph.examples.dirs).map((dir) => ({ ...graph.examples, dir, name: dir, isApp: true }))
  return [...known, ...apps].map((pkg) => ({
    ...pkg,
    manifest: readJson(root, `${pkg.dir}/package.json`),
    place: (unit) => place(pkg, unit),
    below: (unit) => below(pkg, unit),
  }))
}

function place({ layers = [] }, unit) {
  const height = layers.findIndex((layer) => Object.hasOwn(layer, unit))
  return height === -1 ? undefined : { height, why: layers[height][unit] }
}

function below({ layers = [], sideways = [] }, unit) {
  const lower = layers.slice(0, place({ layers }, unit).height).flatMap(Object.keys)
  return [...lower, ...sideways.filter((edge) => edge.from === unit).map((edge) => edge.to)]
}

/** Faults of the data itself: a sideways edge must stay in its layer, and sideways edges must not go round in a circle. */
function graphFaults(packages) {
  return packages.flatMap((pkg) =>
    (pkg.sideways ?? []).flatMap(({ from, to }) => {
      const sameLayer = pkg.place(from) && pkg.place(from).height === pkg.place(to)?.height
      const why = !sameLayer
        ? 'a sideways edge joins two units of one layer; all else follows from the order of the layers'
        : reaches(pkg.sideways, to, from) && 'units that import each other are one unit under two names'
      if (!why) return []
      const fix = `take the edge ${from} → ${to} of ${pkg.name} out`
      return [{ file: 'scripts/import-graph.mjs', line: 1, imported: `${from} → ${to}`, rule: 'graph', why, fix }]
    }),
  )
}

function reaches(edges, from, goal, seen = new Set()) {
  if (from === goal) return true
  seen.add(from)
  return edges.some((edge) => edge.from === from && !seen.has(edge.to) && reaches(edges, edge.to, goal, seen))
}

export function render({ file, line, imported, rule, why, fix }) {
  return `${file}:${line}  ${imported}\n  rule  ${rule}\n  why   ${why}\n  fix   ${fix}\n`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { files, imports, findings } = checkImports(process.argv[2] ?? process.cwd())
  for (const finding of findings) console.error(render(finding))
  console.log(`imports: ${imports} imports in ${files} files, ${findings.length} against the graph`)
  process.exitCode = findings.length > 0 ? 1 : 0
}
