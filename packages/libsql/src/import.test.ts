import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Prints which of the modules that it loads are the driver's. */
const CODE = `
import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
const { LibSQLStore } = await import('@retinue/libsql')
const store = new LibSQLStore({ id: 's', url: ':memory:' })
const drivers = () => loaded.filter((url) => /node_modules\\/(@libsql|libsql)\\//.test(url)).length
const before = drivers()
await store.threads.list({ resourceId: 'ada' })
console.log(JSON.stringify([before, drivers() > 0, loaded.some((url) => /hrana/.test(url))]))
`

test('the driver is loaded with the first use, and for a file not what speaks to servers', () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--conditions=@retinue/source', '--input-type=module', '-e', CODE],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  )
  expect(stdout, stderr).toBe('[0,true,false]\n')
})
