// Files and functions that outgrow what a reader can take in at one sitting. `node scripts/check-growth.mjs [root]`.
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { testFile } from './import-graph.mjs'
import { listDirs, listSources, parseFile, walk } from './lib/sources.mjs'

// Tests may be long: they are read one case at a time.
const limits = {
  trunk: { files: ['run-loop.ts', 'delegate.ts', 'agent.ts', 'assemble.ts'], lines: 200 },
  file: { lines: 350 },
  function: { lines: 60 },
}

/** `{ files, functions, findings }`; a finding says `where` (file:line), `what` and by how much. */
export function checkGrowth(root) {
  const dirs = [
    'scripts',
    'bench',
    ...[...listDirs(root, 'packages/*'), ...listDirs(root, 'examples/*')].map((dir) => `${dir}/src`),
  ]
  const files = dirs.flatMap((dir) => listSources(root, dir)).filter((file) => !isTest(file))
  const result = { files: files.length, functions: 0, findings: [] }
  for (const file of files) {
    const parsed = parseFile(root, file)
    const fileFinding = tooLongFile(parsed)
    if (fileFinding) result.findings.push(fileFinding)
    for (const fn of functionsOf(parsed)) {
      result.functions++
      if (fn.lines > limits.function.lines) {
        result.findings.push(finding(file, fn.line, `function ${fn.name}`, fn.lines, limits.function.lines))
      }
    }
  }
  return result
}

const isTest = (file) => testFile.test(file) || file.endsWith('.test.mjs')

function tooLongFile({ file, source, lineAt }) {
  const lines = lineAt(source.trimEnd().length)
  const trunk = file.startsWith('packages/') && limits.trunk.files.includes(basename(file))
  const limit = trunk ? limits.trunk.lines : limits.file.lines
  return lines > limit ? finding(file, 1, trunk ? 'trunk file' : 'file', lines, limit) : undefined
}

function finding(file, line, what, lines, limit) {
  return { where: `${file}:${line}`, what, lines, limit }
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function functionsOf({ program, lineAt }) {
  const found = []
  walk(program, (node, parent) => {
    if (!FUNCTIONS.has(node.type)) return
    const line = lineAt(node.start)
    found.push({ name: nameOf(node, parent), line, lines: lineAt(node.end - 1) - line + 1 })
  })
  return found
}

/** The function's own name, or that of the variable, property or method that holds it. */
function nameOf(node, parent) {
  const named = node.id ?? parent?.key ?? (parent?.type === 'VariableDeclarator' ? parent.id : undefined)
  return named?.name ?? named?.value ?? '(anonymous)'
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { files, functions, findings } = checkGrowth(process.argv[2] ?? process.cwd())
  for (const { where, what, lines, limit } of findings) {
    console.error(`${where}  ${what}: ${lines} lines, ${limit} are allowed: give one of its parts a name and a place`)
  }
  console.log(`growth: ${functions} functions in ${files} files, ${findings.length} too long`)
  process.exitCode = findings.length > 0 ? 1 : 0
}
