// ARCHITECTURE.md has one line for each folder, `- \`path\`: sentence.`, and none for a folder that is gone.
// `node scripts/check-docs.mjs [root]`.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { listDirs } from './lib/sources.mjs'

const PAGE = 'ARCHITECTURE.md'
const ENTRY = /^\s*- `([^`]+)`:(.*)$/

/** Folders that the page must name. It may name deeper ones too. */
function expectedFolders(root) {
  const packages = listDirs(root, 'packages/*').flatMap((dir) => [`${dir}/src`, ...listDirs(root, `${dir}/src/*`)])
  const others = ['scripts', 'bench', '.ci', ...listDirs(root, 'examples/*')]
  return [...packages, ...others].filter((dir) => existsSync(join(root, dir)))
}

/** `{ folders, findings }`; a finding is one line of text. */
export function checkDocs(root) {
  const entries = readFileSync(join(root, PAGE), 'utf8').split('\n').flatMap(toEntry)
  const expected = expectedFolders(root)
  const missing = expected.filter((dir) => !entries.some((entry) => entry.dir === dir))
  return {
    folders: expected.length,
    findings: [
      ...missing.map((dir) => `${PAGE}  ${dir} is not named: add "- \`${dir}\`: what it owns."`),
      ...entries.flatMap((entry) => faultsOf(root, entry, entries)),
    ],
  }
}

function toEntry(text, index) {
  const match = ENTRY.exec(text)
  return match ? [{ line: index + 1, dir: match[1], sentence: match[2].trim() }] : []
}

function faultsOf(root, { line, dir, sentence }, entries) {
  const at = `${PAGE}:${line}  ${dir}`
  if (!existsSync(join(root, dir))) return [`${at} does not exist: take the line out, or correct the path`]
  if (entries.some((other) => other.dir === dir && other.line < line)) return [`${at} is named twice: keep one line`]
  if (!/^\S.*\.$/.test(sentence)) return [`${at} says nothing: write one sentence on what it owns, with a full stop`]
  return []
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { folders, findings } = checkDocs(process.argv[2] ?? process.cwd())
  for (const finding of findings) console.error(finding)
  console.log(`docs: ${folders} folders, ${findings.length} findings in ${PAGE}`)
  process.exitCode = findings.length > 0 ? 1 : 0
}
