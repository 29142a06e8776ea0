// Finding and parsing sources, shared by the checks.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, visitorKeys } from 'oxc-parser'

const SOURCE = '**/*.{ts,mts,cts,tsx,js,mjs,cjs}'
const DECLARATION = /\.d\.[cm]?ts$/

/** Source files below `root/dir`, as paths relative to `root` with `/`, sorted. Declarations are no sources. */
export function listSources(root, dir) {
  const base = join(root, dir)
  if (!existsSync(base)) return []
  return globSync(SOURCE, { cwd: base, exclude: (name) => name === 'node_modules' || name === 'dist' })
    .map((file) => `${dir}/${file.replaceAll('\\', '/')}`)
    .filter((file) => !DECLARATION.test(file))
    .sort()
}

/** Directories matching a glob such as `packages/*`, relative to `root`. */
export function listDirs(root, pattern) {
  return globSync(pattern, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${pattern.slice(0, pattern.lastIndexOf('/'))}/${entry.name}`)
    .sort()
}

export function readJson(root, file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

/** Parses one file. `lineAt` turns an offset into a line number, from 1. */
export function parseFile(root, file) {
  const source = readFileSync(join(root, file), 'utf8')
  const { program, module, errors } = parseSync(file, source)
  const [error] = errors
  if (error) throw new Error(`${file} does not parse: ${error.message}`)
  return { file, source, program, module, lineAt: lineCounter(source) }
}

function lineCounter(source) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => starts.findLastIndex((start) => start <= offset) + 1
}

/** Calls `visit(node, parent, key)` for every node below `node`, parents first. */
export function walk(node, visit, parent = null, key = null) {
  visit(node, parent, key)
  for (const name of visitorKeys[node.type] ?? []) {
    const child = node[name]
    for (const one of Array.isArray(child) ? child : [child]) if (one) walk(one, visit, node, name)
  }
}
