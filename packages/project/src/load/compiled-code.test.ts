import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

const MODULE = new URL('./compiled-code.ts', import.meta.url).href

/** What the folder is said to be in a process with these variables. */
function folderWith(env: NodeJS.ProcessEnv): string {
  const text = `const { compiledFolder } = await import(${JSON.stringify(MODULE)})\nconsole.log(String(compiledFolder()))`
  const args = ['--conditions=@retinue/source', '--input-type=module', '-e', text]
  return execFileSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' }).trim()
}

test('B11.13 the folder of what is compiled is the one for all versions of Node; a process that keeps nothing has none', () => {
  const folder = process.env['NODE_COMPILE_CACHE']
  expect(folder).toBeDefined()
  expect(folderWith({})).toBe(folder)
  expect(folderWith({ NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('undefined')
})
