import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const MODULE = new URL('./compiled-code.ts', import.meta.url).href

/** Runs code that has what is tested, with a folder in which Node keeps what it compiles; gives what it prints. */
function running(code: string, kept: string, more: NodeJS.ProcessEnv = {}): string {
  const text = `const { compiledFolder, keepCompiled } = await import(${JSON.stringify(MODULE)})\n${code}`
  const env = { ...process.env, NODE_COMPILE_CACHE: kept, ...more }
  const args = ['--conditions=@retinue/source', '--input-type=module', '-e', text]
  return execFileSync(process.execPath, args, { env, encoding: 'utf8' })
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'retinue-compiled-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('what is kept is let go when it is more than it is worth, and then kept anew', () => {
  const kept = emptyFolder()
  const folder = running(
    `import { getCompileCacheDir } from 'node:module'\nkeepCompiled()\nconsole.log(getCompileCacheDir())`,
    kept,
  ).trim()
  expect(dirname(folder)).toBe(kept)
  writeFileSync(join(folder, 'old'), '')
  const count = (): number => readdirSync(folder).length
  running(`keepCompiled(${count()})`, kept)
  expect(readdirSync(folder)).toContain('old')
  running(`keepCompiled(${count() - 1})`, kept)
  expect(readdirSync(folder)).not.toContain('old')
  expect(count()).toBeGreaterThan(0)
})

test('a process that keeps nothing has no folder for others, and lets go of nothing', () => {
  const kept = emptyFolder()
  mkdirSync(join(kept, 'other'))
  const code = 'console.log(String(compiledFolder()))\nkeepCompiled(0)'
  expect(running(code, kept, { NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('undefined\n')
  expect(readdirSync(kept)).toEqual(['other'])
})
