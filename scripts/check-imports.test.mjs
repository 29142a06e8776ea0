import { describe, expect, test } from 'vitest'
import { checkImports, render } from './check-imports.mjs'
import { graph } from './import-graph.mjs'
import { withTree } from './lib/temp-tree.mjs'

const manifests = {
  'packages/core/package.json': {
    exports: { '.': './x.js', './agent': './x.js', './testing': './x.js' },
    dependencies: { '@ai-sdk/provider': '1' },
    peerDependencies: { '@ai-sdk/openai': '1', needed: '1' },
    peerDependenciesMeta: { '@ai-sdk/openai': { optional: true } },
  },
  'packages/project/package.json': { exports: { '.': './x.js' }, dependencies: { '@retinue/core': '0' } },
  'packages/evals/package.json': {
    exports: { './scorers/prebuilt': './x.js' },
    dependencies: { '@retinue/core': '0' },
  },
  'packages/memory/package.json': { exports: { '.': './x.js' }, dependencies: { '@retinue/core': '0' } },
  'packages/libsql/package.json': { exports: { '.': './x.js' }, dependencies: { '@retinue/core': '0' } },
  'packages/server/package.json': { exports: { '.': './x.js' }, dependencies: { '@retinue/core': '0' } },
  'packages/cli/package.json': { exports: { '.': './x.js' }, imports: { '#main': './x.js' } },
  'examples/demo/package.json': { dependencies: { zod: '1' } },
}

/** Checks a small tree with the real graph; gives `[line, imported, rule]` of each finding. */
function check(sources, data = graph) {
  return findings(sources, data).map(({ line, imported, rule }) => [line, imported, rule])
}

function findings(sources, data = graph) {
  const texts = Object.entries(manifests).map(([file, manifest]) => [file, JSON.stringify(manifest)])
  return withTree({ ...Object.fromEntries(texts), ...sources }, (root) => checkImports(root, data).findings)
}

const inCore = (file, text) => check({ [`packages/core/src/${file}`]: text })

describe('layers', () => {
  test('a lower folder does not import a higher one, type-only imports and re-exports included', () => {
    expect(inCore('loop/a.ts', `\nimport type { Agent } from '../agent/agent.ts'`)).toEqual([
      [2, '../agent/agent.ts', 'layers'],
    ])
    expect(inCore('errors/a.ts', `export type { M } from '../messages/m.ts'`)).toHaveLength(1)
    expect(inCore('tools/a.ts', `export * from '../delegation/index.ts'`)).toHaveLength(1)
    expect(inCore('model/a.ts', `let x: typeof import('../loop/run-loop.ts')`)).toHaveLength(1)
    expect(inCore('context/a.ts', `const x = await import('../tools/tool.ts')`)).toHaveLength(1)
  })
  test('a higher folder imports lower ones and its own', () => {
    expect(inCore('agent/a.ts', `import '../loop/b.ts'\nimport '../shared/c.ts'\nimport './d.ts'`)).toEqual([])
  })
  test('in one layer only the sideways edges are open', () => {
    expect(inCore('errors/a.ts', `import '../shared/json.ts'`)).toEqual([])
    expect(inCore('shared/a.ts', `import '../errors/index.ts'`)).toHaveLength(1)
  })
  test('text that only looks like an import is none', () => {
    expect(inCore('loop/a.ts', '// import "../agent/a.ts"\nconst s = `import "../agent/a.ts"`')).toEqual([])
  })
  test('a folder without a place is told where to get one', () => {
    const [finding, ...others] = findings({ 'packages/core/src/misc/a.ts': '', 'packages/core/src/misc/b.ts': '' })
    expect(others).toEqual([])
    expect(finding).toMatchObject({ rule: 'unknown-unit', imported: 'misc' })
    expect(finding.fix).toContain('scripts/import-graph.mjs')
  })
  test('the data itself is checked: sideways edges stay in their layer and make no circle', () => {
    const withEdges = (sideways) => ({
      ...graph,
      packages: { ...graph.packages, '@retinue/core': { ...graph.packages['@retinue/core'], sideways } },
    })
    const edge = (from, to) => ({ from, to, why: 'because' })
    expect(check({}, withEdges([edge('events', 'messages')]))).toEqual([])
    expect(check({}, withEdges([edge('events', 'agent')]))).toHaveLength(1)
    expect(check({}, withEdges([edge('events', 'messages'), edge('messages', 'events')]))).toHaveLength(2)
  })
})

test('core imports no Node module, its tests may', () => {
  expect(inCore('shared/a.ts', `import { join } from 'node:path'`)).toEqual([[1, 'node:path', 'no-node']])
  expect(inCore('testing/a.ts', `import type { Stats } from 'fs'`)).toEqual([[1, 'fs', 'no-node']])
  expect(inCore('shared/a.test.ts', `import { join } from 'node:path'`)).toEqual([])
})

describe('pure folders', () => {
  test.each([
    ['Date.now()', 'Date.now'],
    ['new Date()', 'new Date()'],
    ['Math.random()', 'Math.random'],
    ['globalThis.Date.now()', 'Date.now'],
    [`fetch('/')`, 'fetch'],
    [`globalThis.fetch('/')`, 'fetch'],
    ['const wait = setTimeout', 'setTimeout'],
    ['const port = { setInterval }', 'setInterval'],
    ['crypto.randomUUID()', 'crypto'],
  ])('%s is found in loop and delegation, and nowhere else', (code, imported) => {
    expect(inCore('loop/a.ts', `\n\n${code}`)).toEqual([[3, imported, 'pure']])
    expect(inCore('delegation/deep/a.ts', code)).toHaveLength(1)
    expect(inCore('model/a.ts', code)).toEqual([])
    expect(inCore('loop/a.test.ts', code)).toEqual([])
  })
  test('names of properties and types are no use of a global', () => {
    const code =
      'effects.fetch(); effects.crypto; const e = { setTimeout: 1 }; let t: typeof setTimeout; x instanceof Date'
    expect(inCore('loop/a.ts', code)).toEqual([])
  })
})

describe('dependencies', () => {
  test('a package imports what it declares', () => {
    expect(inCore('tools/a.ts', `import '@ai-sdk/provider'\nimport 'needed/deep'`)).toEqual([])
    expect(inCore('tools/a.ts', `import { z } from 'zod'`)).toEqual([[1, 'zod', 'dependencies']])
    expect(inCore('tools/a.ts', `import type { z } from 'zod'`)).toEqual([[1, 'zod', 'dependencies']])
    expect(inCore('tools/a.test.ts', `import { z } from 'zod'`)).toEqual([])
  })
  test('an optional peer comes in by a dynamic import, or as types', () => {
    expect(inCore('model/a.ts', `await import('@ai-sdk/openai')\nimport type { A } from '@ai-sdk/openai'`)).toEqual([])
    expect(inCore('model/a.ts', `import '@ai-sdk/openai'`)).toEqual([[1, '@ai-sdk/openai', 'dependencies']])
  })
  test('a name of the package’s own imports map is no dependency', () => {
    expect(check({ 'packages/cli/src/main.ts': `import '#main'` })).not.toContainEqual([1, '#main', 'dependencies'])
  })
})

describe('packages', () => {
  const at = (dir, specifier) =>
    check({ [`${dir}/src/a.test.ts`]: `import '${specifier}'`, [`${dir}/src/index.ts`]: `\n\nimport '${specifier}'` })

  test('core imports no package of ours, project not the cli', () => {
    expect(at('packages/core', '@retinue/project')).toEqual([[3, '@retinue/project', 'packages']])
    expect(at('packages/project', 'retinue')).toContainEqual([3, 'retinue', 'packages'])
    expect(at('packages/core', '@retinue/evals/scorers/prebuilt')).toHaveLength(1)
    expect(at('packages/evals', '@retinue/project')).toContainEqual([3, '@retinue/project', 'packages'])
    expect(at('packages/memory', '@retinue/libsql')).toContainEqual([3, '@retinue/libsql', 'packages'])
    expect(at('examples/demo', 'retinue')).toContainEqual([3, 'retinue', 'packages'])
  })
  test('a package does not import itself by name; its tests may, to try the public names', () => {
    expect(at('packages/core', '@retinue/core/agent')).toEqual([[3, '@retinue/core/agent', 'packages']])
  })
  test('others are reached through what they export, in tests too', () => {
    expect(at('examples/demo', '@retinue/core/loop')).toEqual([
      [1, '@retinue/core/loop', 'exports'],
      [3, '@retinue/core/loop', 'exports'],
    ])
    expect(at('packages/core', '../../project/src/index.ts').map(([line, , rule]) => [line, rule])).toEqual([
      [1, 'exports'],
      [3, 'exports'],
    ])
  })
  test('an example imports its own dependencies and public names', () => {
    const source = `import { z } from 'zod'\nimport { agentConfig } from '@retinue/core/agent'`
    expect(check({ 'examples/demo/src/retinue/agents/a/config.ts': source })).toEqual([])
  })
})

test('nothing but tests imports the test doubles', () => {
  expect(inCore('agent/a.ts', `import '../testing/index.ts'`)).toEqual([[1, '../testing/index.ts', 'test-only']])
  expect(inCore('index.ts', `export * from './testing/index.ts'`)).toHaveLength(1)
  expect(inCore('agent/a.test.ts', `import '../testing/index.ts'`)).toEqual([])
  expect(inCore('testing/a.ts', `import './b.ts'\nimport '../agent/agent.ts'`)).toEqual([])
  expect(check({ 'examples/demo/src/a.ts': `import '@retinue/core/testing'` })).toEqual([
    [1, '@retinue/core/testing', 'test-only'],
  ])
})

describe('the offline models', () => {
  test('use nothing of ours and only types of the provider’s', () => {
    expect(inCore('model/offline/a.ts', `import './b.ts'\nimport type { X } from '@ai-sdk/provider'`)).toEqual([])
    for (const from of ['../../shared/ids.ts', '../resolve.ts', '@ai-sdk/provider']) {
      expect(inCore('model/offline/a.ts', `import { x } from '${from}'`)).toEqual([[1, from, 'isolated']])
    }
  })
  test('are reached by a dynamic import in model/ alone', () => {
    expect(inCore('model/resolve.ts', `await import('./offline/planner.ts')`)).toEqual([])
    expect(inCore('model/resolve.ts', `import './offline/planner.ts'`)).toHaveLength(1)
    expect(inCore('agent/a.ts', `await import('../model/offline/planner.ts')`)).toHaveLength(1)
  })
})

test('a finding says where, what, which rule, why and what to do', () => {
  const [finding] = findings({ 'packages/core/src/loop/a.ts': `import '../agent/agent.ts'` })
  expect(render(finding)).toMatch(
    /^packages\/core\/src\/loop\/a\.ts:1 {2}\.\.\/agent\/agent\.ts\n {2}rule {2}layers\n {2}why {3}\S.*\n {2}fix {3}loop may import shared, .*\n$/,
  )
})
