import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A tree that a page shows, and what the page says that `check` says of it. */
export interface PageTree {
  /** By path; `null` is an empty folder. */
  readonly files: ReadonlyMap<string, string | Uint8Array | null>
  readonly said: string
}

/**
 * The trees of a page, by the heading that they stand under. A file is a fenced block with `file=PATH` behind its language, what
 * `check` says is one with `check`. `file=PATH/` is an empty folder, and `encoding=utf-16` a file that is no UTF-8.
 */
export function treeUnder(page: string, heading: string): PageTree {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const files = new Map<string, string | Uint8Array | null>()
  let said = ''
  for (const [, info = '', text = ''] of section.matchAll(/^```\S* (.*)\n([\s\S]*?)^```$/gm)) {
    const [, path = '', encoding] = /^file=(.*?)(?: encoding=(\S+))?$/.exec(info) ?? []
    if (info === 'check') said = text.trimEnd()
    else if (path.endsWith('/')) files.set(path.slice(0, -1), null)
    else files.set(path, encoding === undefined ? text : Buffer.from(`\uFEFF${text}`, 'utf16le'))
  }
  return { files, said }
}

const NODE_MODULES = join(import.meta.dirname, '../../../node_modules')

/** What is installed in the project of a page. */
const INSTALLED = ['@retinue', '@ai-sdk/openai']

/** Writes a tree as a project of its own, of ES modules unless it says otherwise. Who asks for it removes it. */
export function writeTree({ files }: PageTree): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'retinue-page-')))
  for (const [path, content] of [['package.json', '{ "type": "module" }'] as const, ...files]) {
    const file = join(root, path)
    mkdirSync(content === null ? file : dirname(file), { recursive: true })
    if (content !== null) writeFileSync(file, content)
  }
  for (const name of INSTALLED) {
    mkdirSync(dirname(join(root, 'node_modules', name)), { recursive: true })
    symlinkSync(join(NODE_MODULES, name), join(root, 'node_modules', name))
  }
  return root
}
