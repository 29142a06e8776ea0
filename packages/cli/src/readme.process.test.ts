import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const example = join(root, 'examples/research-supervisor')
const cli = join(root, 'packages/cli/bin/retinue.js')
const scratch = mkdtempSync(join(tmpdir(), 'retinue-readme-'))
const OFFLINE = { ...process.env, RETINUE_MODEL: 'offline/planner', OPENAI_API_KEY: undefined, CI: '1' }

afterAll(() => rmSync(scratch, { recursive: true }))

/** The fenced blocks of the README, with what stands behind their opening fence. */
const blocks = [
  ...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```(\S+)(?: (.*))?\n([\s\S]*?)^```$/gm),
].map(([, language = '', info = '', body = '']) => ({ language, info, body }))
const of = (language: string, info: RegExp): string[] =>
  blocks.filter((block) => block.language === language && info.test(block.info)).map(({ body }) => body)

/** The words after `npx retinue`, as a shell takes them. */
function wordsOf(line: string): string[] {
  const words = line.slice('npx retinue '.length).matchAll(/"([^"]*)"|(\S+)/g)
  return [...words].map((match) => match[1] ?? match[2] ?? '')
}

/** A copy of the example, in which something may be left behind. */
function copyOfExample(name: string): string {
  const folder = join(scratch, name)
  cpSync(example, folder, { recursive: true, filter: (path) => !/node_modules|\.retinue/.test(path) })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

async function node(args: string[], cwd: string): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--conditions=@retinue/source', ...args], {
      cwd,
      env: OFFLINE,
    })
    return { code: 0, out: stdout, err: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout, err: stderr }
  }
}

describe('every claim of the README that a machine can check', () => {
  test('files that it shows are the files of the example', () => {
    const shown = blocks.filter(({ info }) => info.startsWith('file='))
    expect(shown.length).toBeGreaterThanOrEqual(2)
    for (const { info, body } of shown) expect(readFileSync(join(root, info.slice('file='.length)), 'utf8')).toBe(body)
  })

  const programs = of('ts', /^run$/)
  test.each(programs.map((body, index) => [index, body] as const))('program %i runs', async (index, body) => {
    const folder = join(scratch, String(index))
    cpSync(example, join(folder, 'examples/research-supervisor'), {
      recursive: true,
      filter: (path) => !/node_modules|\.retinue/.test(path),
    })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    writeFileSync(join(folder, 'program.ts'), body)
    const { code, out, err } = await node(['program.ts'], folder)
    expect(err).toBe('')
    expect(code).toBe(0)
    if (body.includes('loadProject'))
      expect(out).toMatch(/Bhutan[\s\S]*No language model was used[\s\S]*researcher: completed/)
    if (body.includes('critic')) expect(out).toBe('critic completed\nDone.\n')
    if (body.includes('isTaskComplete')) expect(out).toBe('stop An analysis, and a recommendation. 2\n')
    if (body.includes('I am Ada')) expect(out).toBe('user: I am Ada.\nassistant: Hello, Ada.\nuser: Who am I?\n')
    if (body.includes('createClient')) expect(out).toBe("Good morning.\n[ 'chat-1' ]\n")
    if (body.includes('requireApproval')) expect(out).toBe('suspended\nlead/clerk pay { euros: 120 }\nIt is paid.\n')
    if (body.includes('streamUntilIdle'))
      expect(out).toBe('A scout is on the way.\n\nThe scout saw a zebra.\nscout completed\n')
    if (body.includes('onDelegationStart')) expect(out).toBe('Done.\n')
  })

  test('what `check` prints for a subagent without a description', async () => {
    const folder = copyOfExample('checked')
    const config = join(folder, 'src/retinue/agents/research-supervisor/subagents/writer/config.ts')
    writeFileSync(config, readFileSync(config, 'utf8').replace(/^ {2}description.*\n/m, ''))
    const { code, out } = await node([cli, 'check'], folder)
    expect(code).toBe(1)
    expect(out).toContain(of('text', /^check$/)[0])
  })

  test('B7.3 what waits at a command line is approved by its commands', async () => {
    const folder = copyOfExample('decided')
    const [run = '', list = '', approve = ''] = (of('sh', /^decide$/)[0] ?? '').split('\n')
    const waits = await node([cli, ...wordsOf(run)], folder)
    expect(waits.code, waits.err).toBe(5)
    const [, id = ''] = /person in the run (\S+):/.exec(waits.err) ?? []
    expect((await node([cli, ...wordsOf(list)], folder)).out).toContain(id)
    const { code, out, err } = await node([cli, ...wordsOf(approve.replace('RUN', id))], folder)
    expect(code, err).toBe(0)
    const [, file = ''] = /published: “(.*)”/.exec(out) ?? []
    expect(readFileSync(join(folder, file), 'utf8')).toMatch(/^# The exports of Bhutan\n/)
  })

  test('B9.1 the file that turns background tasks on is one', async () => {
    const folder = copyOfExample('background')
    writeFileSync(join(folder, 'src/retinue/backgroundTasks.ts'), of('ts', /^background$/)[0] ?? '')
    const config = join(folder, 'src/retinue/agents/research-supervisor/config.ts')
    writeFileSync(config, "export default { model: 'openai/x', backgroundTasks: { tools: { researcher: true } } }\n")
    const { code, out } = await node([cli, 'check', '--strict'], folder)
    expect(code, out).toBe(0)
  })

  const commands = of('sh', /^$/).flatMap((body) => body.split('\n'))
  test('its npm commands are scripts, and its retinue commands work', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const names = commands.flatMap((line) => [...line.matchAll(/npm (?:run )?(\w+)/g)].map((match) => match[1] ?? ''))
    expect(names).toEqual(expect.arrayContaining(['demo', 'test']))
    for (const name of names) expect(scripts).toHaveProperty(name)
    const lines = commands.filter((line) => line.startsWith('npx retinue'))
    expect(lines.length).toBeGreaterThanOrEqual(4)
    // One after the other, as a person types them: some of them write what others read.
    for (const line of lines) {
      const { code, out, err } = await node([cli, ...wordsOf(line)], example)
      expect(code, `${line}: ${out}${err}`).toBe(0)
    }
  })
})
