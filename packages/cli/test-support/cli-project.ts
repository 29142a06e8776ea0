import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

/** Where the packages of this repository are installed. */
export const NODE_MODULES: string = join(ROOT, 'node_modules')

/** What starts the command line from its sources: arguments of `node`. */
export const CLI = ['--conditions=@retinue/source', join(ROOT, 'packages/cli/bin/retinue.js')]

/** How a run of the command line ended. */
export interface Outcome {
  code: number | null
  out: string
  err: string
}

/** A project in a folder of its own, which goes with the test. */
export function cliProject(files: Readonly<Record<string, string>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'retinue-cli-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  symlinkSync(NODE_MODULES, join(root, 'node_modules'))
  writeFiles(root, { 'package.json': '{"type":"module"}', ...files })
  return root
}

/** Writes files below a folder. */
export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}
