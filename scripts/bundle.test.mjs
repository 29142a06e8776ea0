import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { bundlePackages } from './bundle.mjs'

const roots = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

const MANIFEST = {
  type: 'module',
  sideEffects: false,
  exports: {
    '.': { '@retinue/source': './src/index.ts', default: './dist/index.js' },
    './deep': { '@retinue/source': './src/deep/index.ts', default: './dist/deep/index.js' },
    './package.json': './package.json',
  },
}

/** Two entries that share a module which asks where it stands, and one that is read by who wants it. */
const SOURCES = {
  'index.ts': `export { place, shared } from './shared/where.ts'\nexport const later = () => import('./shared/later.ts')\n`,
  'deep/index.ts': `import './effect.ts'\nexport { place, shared } from '../shared/where.ts'\n`,
  'deep/effect.ts': 'globalThis.effects = (globalThis.effects ?? 0) + 1\n',
  'shared/where.ts': `/** Told by the types. */\nexport const shared: object = {}\nexport const place = new URL('./beside.txt', import.meta.url).href\nexport const text = 'import.meta.url'\n`,
  'shared/later.ts': `export const here = import.meta.url\n`,
  'shared/where.test.ts': `throw new Error('tests are not bundled')\n`,
}

function project(sources) {
  const root = mkdtempSync(join(tmpdir(), 'retinue-bundle-'))
  roots.push(root)
  write(root, { 'packages/one/package.json': JSON.stringify(MANIFEST) })
  write(root, Object.fromEntries(Object.entries(sources).map(([path, text]) => [`packages/one/src/${path}`, text])))
  return root
}

function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

const distOf = (root) => join(root, 'packages/one/dist')
const scripts = (root) =>
  readdirSync(distOf(root), { recursive: true })
    .filter((name) => name.endsWith('.js'))
    .sort()
const load = (root, path) => import(pathToFileURL(join(distOf(root), path)).href)

test('what entries share is one module, and each still finds what stands beside it', async () => {
  const root = project(SOURCES)
  expect(await bundlePackages(root)).toEqual(['packages/one'])
  expect(scripts(root)).toEqual(['chunks/later.js', 'chunks/where.js', 'deep/index.js', 'index.js'])
  const [index, deep] = [await load(root, 'index.js'), await load(root, 'deep/index.js')]
  expect(index.shared).toBe(deep.shared)
  const beside = (path) => pathToFileURL(join(distOf(root), path)).href
  expect(index.place).toBe(beside('shared/beside.txt'))
  expect((await index.later()).here).toBe(beside('shared/later.js'))
  // What a module does when it is loaded stays, though package.json tells other bundlers that nothing does anything.
  expect(globalThis.effects).toBe(1)
  expect(readFileSync(join(distOf(root), 'chunks/where.js'), 'utf8')).not.toContain('Told by the types')
})

test('what has not changed is left alone, what changed is made anew, and nothing old stays', async () => {
  const root = project(SOURCES)
  await bundlePackages(root)
  const before = statSync(join(distOf(root), 'index.js')).mtimeMs
  write(root, { 'packages/one/src/shared/where.test.ts': 'export {}\n' })
  expect(await bundlePackages(root)).toEqual([])
  expect(statSync(join(distOf(root), 'index.js')).mtimeMs).toBe(before)
  write(root, { 'packages/one/src/index.ts': `export { place, shared } from './shared/where.ts'\n` })
  write(root, { 'packages/one/dist/index.d.ts': 'export {}\n' })
  expect(await bundlePackages(root)).toEqual(['packages/one'])
  expect(scripts(root)).toEqual(['chunks/where.js', 'deep/index.js', 'index.js'])
  expect(existsSync(join(distOf(root), 'index.d.ts'))).toBe(true)
})

test('what something else put in the place of a bundle is bundled again', async () => {
  const root = project(SOURCES)
  await bundlePackages(root)
  const bundled = readFileSync(join(distOf(root), 'index.js'), 'utf8')
  // As a compiler does that writes a module for each source.
  write(root, { 'packages/one/dist/index.js': 'export {}\n', 'packages/one/dist/shared/later.js': 'export {}\n' })
  expect(await bundlePackages(root)).toEqual(['packages/one'])
  expect(readFileSync(join(distOf(root), 'index.js'), 'utf8')).toBe(bundled)
  expect(scripts(root)).toEqual(['chunks/later.js', 'chunks/where.js', 'deep/index.js', 'index.js'])
})

test('a bundle that failed is not taken for one', async () => {
  const root = project(SOURCES)
  await bundlePackages(root)
  write(root, { 'packages/one/src/deep/effect.ts': `import { nothing } from '../shared/later.ts'\nnothing()\n` })
  await expect(bundlePackages(root)).rejects.toThrow('nothing')
  await expect(bundlePackages(root)).rejects.toThrow('nothing')
})

test('of import.meta only what keeps its meaning may be asked', async () => {
  const root = project({ ...SOURCES, 'shared/later.ts': 'export const here = import.meta.dirname\n' })
  await expect(bundlePackages(root)).rejects.toThrow('of import.meta only "url"')
})
