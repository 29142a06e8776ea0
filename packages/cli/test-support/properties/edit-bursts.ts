import { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { buildProject } from '../../src/build/build-project.ts'
import { NODE_MODULES, writeFiles } from '../cli-project.ts'
import { type Dev, startDev } from '../dev.ts'
import { serving } from '../output.ts'
import { assert, type Property, type Random } from '../property.ts'

const AGENTS = 'src/retinue/agents'

/** Longer than the time after which a burst is over, and shorter than anything that follows one. */
const REST_MS = 250

export interface BurstOptions {
  readonly agents: number
  readonly bursts: number
}

/** R21: after bursts of edits, what `dev` serves is what a cold build serves; no burst makes more than two reloads; no process is left. */
export function editBursts({ agents, bursts }: BurstOptions): Property {
  return {
    name: 'R21',
    unit: `times ${bursts} bursts of edits of ${agents} agents`,
    // A burst is a process, and a case two dozen of them: on a busy machine that takes a while.
    limitMs: 300_000,
    async check(random, tally) {
      const root = realpathSync(mkdtempSync(join(tmpdir(), 'retinue-bursts-')))
      symlinkSync(NODE_MODULES, join(root, 'node_modules'))
      const project = new Edited(root, random)
      for (let at = 0; at < agents; at++) project.add()
      writeFiles(root, { 'package.json': '{"type":"module"}' })
      project.share()
      const dev = await startDev(root)
      try {
        for (let burst = 1; burst <= bursts; burst++) {
          const before = countReloads(dev)
          if (burst === bursts) project.mend()
          else await project.edit()
          const start = performance.now()
          await dev.until(/reloaded in \d+ ms|not reloaded: version \d+/)
          tally(performance.now() - start < 1_000 ? 'live within a second' : 'live later')
          await wait(REST_MS)
          const reloads = countReloads(dev) - before
          tally(`${reloads} reloads`)
          assert(reloads <= 2, () => `${reloads} reloads for one burst:\n${dev.said()}`)
        }
        const served = await dev.get('/api/agents')
        const cold = await coldBuild(root)
        assert(
          JSON.stringify(served) === JSON.stringify(cold),
          () => `dev serves ${JSON.stringify(served)}\na build ${JSON.stringify(cold)}`,
        )
      } finally {
        await dev.stop()
        const left = processesIn(root)
        rmSync(root, { recursive: true, force: true })
        assert(left.length === 0, () => `processes are left: ${left.join(', ')}`)
      }
    },
  }
}

function countReloads(dev: Dev): number {
  return dev.said().match(/reloaded in \d+ ms|not reloaded:/g)?.length ?? 0
}

async function coldBuild(root: string): Promise<unknown> {
  const { output, check } = await buildProject({ path: root })
  assert(output !== undefined, () => `it can't be built: ${JSON.stringify(check.findings)}`)
  const served = await serving([output.folder], { cwd: root })
  const agents = await (await fetch(`${served.url}/api/agents`)).json()
  await served.end()
  return agents
}

/** The processes that still live in a folder. */
function processesIn(folder: string): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === folder
    } catch {
      return false
    }
  })
}

/** A project that is edited at random. What is broken is known, so that it can be mended. */
class Edited {
  readonly #root: string
  readonly #random: Random
  readonly #names: string[] = []
  readonly #broken = new Set<string>()
  #made = 0

  constructor(root: string, random: Random) {
    this.#root = root
    this.#random = random
  }

  /** One burst: some edits, close to each other. */
  async edit(): Promise<void> {
    const count = this.#random.between(1, 6)
    for (let at = 0; at < count; at++) {
      if (this.#random.chance(0.3)) await wait(this.#random.between(0, 20))
      this.#change()
    }
  }

  /** What agents load and read outside the application's folder. */
  share(): void {
    writeFiles(this.#root, {
      'lib/data.json': `"data ${this.#made++}"`,
      'lib/text.txt': `text ${this.#made++}`,
      'lib/inner.cjs': `module.exports = 'common ${this.#made++}'`,
      'lib/common.cjs': `module.exports = require('./inner.cjs')`,
      'lib/module.ts': `export const module: string = 'module ${this.#made++}'`,
    })
  }

  /** What is broken, and one thing that is not, so that there is something to take in. */
  mend(): void {
    for (const name of [...this.#broken, this.#random.pick(this.#names)]) this.#config(name)
  }

  add(): void {
    const name = `agent-${this.#made++}`
    this.#names.push(name)
    this.#config(name)
    this.#write(`${name}/instructions.md`, 'Work.\n')
  }

  #change(): void {
    const name = this.#random.pick(this.#names)
    const change = this.#random.pick([
      'text',
      'config',
      'config',
      'add',
      'remove',
      'tool',
      'no tool',
      'child',
      'seed',
      'break',
      'shared',
    ])
    if (change === 'text') this.#write(`${name}/instructions.md`, `Work ${this.#made++} times.\n`)
    else if (change === 'config') this.#config(name)
    else if (change === 'add') this.add()
    else if (change === 'remove' && this.#names.length > 2) {
      this.#names.splice(this.#names.indexOf(name), 1)
      this.#broken.delete(name)
      rmSync(join(this.#root, AGENTS, name), { recursive: true })
    } else if (change === 'tool') this.#write(`${name}/tools/t${this.#random.between(0, 3)}.ts`, tool(this.#made++))
    else if (change === 'no tool' && existsSync(join(this.#root, AGENTS, name, 'tools')))
      rmSync(join(this.#root, AGENTS, name, 'tools'), { recursive: true })
    else if (change === 'child') this.#child(name)
    else if (change === 'shared') this.share()
    else if (change === 'seed') this.#write(`${name}/workspace/seed-${this.#made++}.md`, 'A seed.\n')
    else if (change === 'break' && this.#random.chance(0.5)) {
      this.#broken.add(name)
      this.#write(`${name}/config.ts`, 'export default (\n')
    } else this.#config(name)
  }

  #child(name: string): void {
    const text = `---\nmodel: offline/planner\ndescription: Does part ${this.#made++} of the work of others.\n---\nHelp.\n`
    this.#write(`${name}/subagents/child-${this.#random.between(0, 2)}/agent.md`, text)
  }

  #config(name: string): void {
    this.#broken.delete(name)
    const description = `Version ${this.#made++} of it`
    this.#write(`${name}/config.ts`, config(description))
  }

  #write(path: string, text: string): void {
    writeFiles(join(this.#root, AGENTS), { [path]: text })
  }
}

/** It takes in what stands elsewhere, in every way that there is. */
function config(description: string): string {
  const lib = '../../../../lib'
  return `import { readFileSync } from 'node:fs'
import { agentConfig } from '@retinue/core/agent'
import common from '${lib}/common.cjs'
import data from '${lib}/data.json' with { type: 'json' }
import { module } from '${lib}/module.ts'
const text = readFileSync(new URL('${lib}/text.txt', import.meta.url), 'utf8')
export default agentConfig({ model: 'offline/planner', description: ['${description}', common, data, module, text].join(', ') })
`
}

function tool(number: number): string {
  return `import { createTool } from '@retinue/core/tools'\nexport default createTool({ id: 'tool', description: 'Does thing ${number}.', execute: () => 'done' })\n`
}
