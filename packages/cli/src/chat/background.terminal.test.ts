import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeProject } from '../../test-support/chat-project.ts'
import { CLI } from '../../test-support/cli-project.ts'
import { Tmux } from '../../test-support/tmux.ts'

/** A conversation in a terminal of its own, with an agent whose subagent works in the background. */
async function talking(
  columns = 80,
  rows = 24,
): Promise<{ terminal: Tmux; letGo(): void; start(args?: string): Promise<void> }> {
  const project = makeProject({ background: true })
  const terminal = new Tmux(columns, rows, project.path)
  onTestFinished(() => {
    terminal.close()
    project.remove()
  })
  const start = async (args = ''): Promise<void> => {
    terminal.say(`clear; ${[process.execPath, ...CLI, 'chat', 'lead', args].join(' ')}; echo "exit code $?"`)
    await terminal.until(/model fixture\/\w+\n(.*\n)*›$/m, 'the greeting and the prompt')
  }
  await terminal.until(/\$/, 'the prompt of the shell')
  await start()
  const go = join(project.path, 'go')
  const letGo = (): void => {
    writeFileSync(go, '')
    onTestFinished(() => rmSync(go, { force: true }))
  }
  return { terminal, letGo, start }
}

const ON_ITS_WAY = /◌ scout {2}in the background .*\n[\s\S]*The scout is on its way\.\n\n✔ lead {2}done .*\n\n›$/

test('B9.3 a task holds nobody up: messages are answered while it works, and what it brings has its turn at once', async () => {
  const { terminal, letGo } = await talking()
  terminal.say('delegate hold')
  await terminal.until(ON_ITS_WAY)
  terminal.say('hello')
  await terminal.until(/Heard 2: "delegate hold" \/ "hello"\n\n✔ lead {2}done .*\n\n›$/)
  letGo()
  await terminal.until(
    /✔ task \w{8} {2}scout {2}completed\n(.*\n)*Lead was told: Scout held on\.\n\n✔ lead {2}done .*\n\n›$/,
  )
  terminal.press('C-d')
  await terminal.until(/exit code 0/)
  expect(terminal.history()).not.toContain('stops here')
}, 60_000)

test('B9.3 who is typing is not interrupted: the line stays below the news, and the result comes with the message', async () => {
  const { terminal, letGo } = await talking(60, 20)
  terminal.say('delegate hold')
  await terminal.until(ON_ITS_WAY)
  terminal.type('half a mess')
  await terminal.until(/› half a mess$/)
  letGo()
  await terminal.until(/✔ task \w{8} {2}scout {2}completed\n› half a mess$/)
  terminal.say('age')
  await terminal.until(/› half a message\n[\s\S]*Heard 2: "delegate hold" \/ "half a message"[\s\S]*›$/)
  terminal.press('C-d')
  await terminal.until(/exit code 0/)
}, 60_000)

test('B9.5 what a task asks is asked between the turns; decided, it goes on in the background', async () => {
  const { terminal } = await talking()
  terminal.say('delegate fell oak')
  await terminal.until(
    /◇ task \w{8} {2}scout {2}waits for a person\n◇ lead › scout wants to run fell\n {2}tree: delegate fell oak\n[\s\S]*approve\? y\/n\/e › *$/,
  )
  terminal.say('y')
  await terminal.until(
    /✔ task \w{8} {2}scout {2}completed\n(.*\n)*Lead was told: Scout is done: delegate fell oak\n\n✔ lead {2}done .*\n\n›$/,
  )
  terminal.press('C-d')
  await terminal.until(/exit code 0/)
}, 60_000)

test('B9.6 who leaves is told what becomes of the tasks, and they go on with the conversation', async () => {
  const { terminal, letGo, start } = await talking(100, 24)
  terminal.say('delegate hold')
  await terminal.until(ON_ITS_WAY)
  terminal.say('/exit')
  await terminal.until(
    (screen) =>
      /A background task stops here\. It goes on with the next message of this conversation/.test(
        screen.replace(/\n/g, ' '),
      ),
    'what becomes of it',
  )
  await terminal.until(/exit code 0/)
  letGo()
  await start('--continue')
  await terminal.until(/◌ task \w{8} {2}scout {2}works\n/)
  terminal.say('hello')
  await terminal.until(/Lead was told: Scout held on\./)
  terminal.press('C-d')
  await terminal.until(/exit code 0/)
}, 90_000)
