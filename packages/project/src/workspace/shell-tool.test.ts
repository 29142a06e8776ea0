import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolContext } from '@retinue/core/tools'
import type { WorkspaceShell } from '@retinue/core/workspace'
import { expect, test, vi } from 'vitest'
import { callTool } from '../../test-support/guarded-workspace.ts'
import { tempProject } from '../../test-support/temp-project.ts'
import { HeadAndTail } from './head-and-tail.ts'
import { createLocalWorkspace } from './local-workspace.ts'

function shellOf(shell: true | WorkspaceShell = true) {
  const top = tempProject({ 'seeds/hello.sh': 'echo seeded' })
  const root = join(top, 'w')
  const seeds = { from: join(top, 'seeds'), record: join(top, 'seeds.json') }
  const workspace = createLocalWorkspace({ id: 'w', root, seeds, shell })
  const run = (command: string, context?: Partial<ToolContext>): Promise<unknown> =>
    callTool(workspace, 'workspace_run_command', { command }, context)
  return { root, run, tool: workspace.tools['workspace_run_command'] }
}

/** The process that wrote its id into a file has ended. */
async function endedAt(file: string): Promise<void> {
  await vi.waitFor(() => {
    expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false)
  })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that has ended is still there until its parent asks, and not every system has somebody who does.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test('B11.9 a command needs an approval, unless workspace.ts says otherwise', async () => {
  expect(shellOf().tool?.requireApproval).toBe(true)
  expect(shellOf({}).tool?.requireApproval).toBe(true)
  expect(shellOf({ requireApproval: false }).tool?.requireApproval).toBe(false)
  const decides = shellOf({ requireApproval: ({ command }) => command !== 'ls' }).tool?.requireApproval
  if (typeof decides !== 'function') throw new Error('no function')
  expect([decides({ command: 'ls' }), decides({ command: 'rm' })]).toEqual([false, true])
})

test('B11.9 a command runs in the workspace, seeds included, without input', async () => {
  const { root, run } = shellOf()
  expect(await run('sh hello.sh; pwd; cat; echo oops >&2; exit 3')).toEqual({
    exitCode: 3,
    stdout: `seeded\n${root}\n`,
    stderr: 'oops\n',
  })
  expect(await run('kill -9 $$')).toMatchObject({ exitCode: null })
})

test('B11.9 a command gets no secret of the program: only safe variables, and those that workspace.ts names', async () => {
  vi.stubEnv('OPENAI_API_KEY', 'sk-canary')
  vi.stubEnv('MY_PASSWORD', 'canary')
  vi.stubEnv('LANG', 'C.UTF-8')
  const { root, run } = shellOf({ env: { MODE: 'test' } })
  const { stdout } = (await run('env')) as { stdout: string }
  vi.unstubAllEnvs()
  const names = stdout
    .trim()
    .split('\n')
    .map((line) => line.replace(/=.*/, ''))
  expect(stdout).not.toContain('canary')
  expect(stdout).toContain(`HOME=${root}\n`)
  expect(names).toEqual(expect.arrayContaining(['PATH', 'LANG', 'MODE']))
  // What the shell itself adds is no secret.
  const safe = [
    'PATH',
    'LANG',
    'LANGUAGE',
    'LC_ALL',
    'LC_CTYPE',
    'TZ',
    'TMPDIR',
    'HOME',
    'MODE',
    'PWD',
    'OLDPWD',
    'SHLVL',
    '_',
  ]
  expect(names.filter((name) => !safe.includes(name))).toEqual([])
})

test('B11.9 a command that takes too long is killed with all that it started', async () => {
  const { root, run } = shellOf({ timeoutMs: 300 })
  expect(await run("echo begun; sh -c 'echo $$ > pid; sleep 100' & wait")).toEqual({
    exitCode: null,
    stdout: 'begun\n',
    stderr: '',
    note: 'It took longer than 300 ms and was killed.',
  })
  await endedAt(join(root, 'pid'))
})

test('B11.9 what a command leaves in the background ends with it', async () => {
  const { root, run } = shellOf()
  expect(
    await run("sh -c 'echo $$ > pid; sleep 100' & while [ ! -s pid ]; do sleep 0.01; done; echo done"),
  ).toMatchObject({
    exitCode: 0,
    stdout: 'done\n',
  })
  await endedAt(join(root, 'pid'))
})

test('B11.9 an abort kills the command; one that is aborted before it began does not begin', async () => {
  const { root, run } = shellOf({ timeoutMs: 600_000 })
  const controller = new AbortController()
  const running = run('echo $$ > pid; sleep 100', { abortSignal: controller.signal })
  await vi.waitFor(() => expect(existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8')).toBeTruthy())
  controller.abort(new Error('enough'))
  await expect(running).rejects.toThrow('enough')
  await endedAt(join(root, 'pid'))
  await expect(run('touch begun', { abortSignal: controller.signal })).rejects.toThrow('enough')
  expect(existsSync(join(root, 'begun'))).toBe(false)
})

test('B11.9 of a long output the head and the tail are kept, whatever pieces it comes in', async () => {
  const { run } = shellOf({ outputBytes: 20 })
  const { stdout } = (await run('seq 1 100000')) as { stdout: string }
  expect(stdout).toMatch(
    /^1\n2\n3\n4\n5\n\n… 588875 bytes left out …\n9\n100000\n$|^1\n2\n3\n4\n5\n\n… \d+ bytes left out …\n.*100000\n$/s,
  )
  for (const size of [1, 3, 7, 100]) {
    const output = new HeadAndTail(6)
    const bytes = Buffer.from('abcdefghijklmnop')
    for (let at = 0; at < bytes.length; at += size) output.push(bytes.subarray(at, at + size))
    expect(output.text()).toBe('abc\n… 10 bytes left out …\nnop')
    const short = new HeadAndTail(16)
    for (let at = 0; at < bytes.length; at += size) short.push(bytes.subarray(at, at + size))
    expect(short.text()).toBe('abcdefghijklmnop')
  }
})
