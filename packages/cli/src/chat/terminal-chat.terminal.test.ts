import { afterAll, describe, expect, test } from 'vitest'
import { makeProject } from '../../test-support/chat-project.ts'
import { CLI } from '../../test-support/cli-project.ts'
import { Tmux } from '../../test-support/tmux.ts'

const project = makeProject()

afterAll(() => project.remove())

/** A test in a terminal of its own, in which a conversation has begun. */
function talking(columns: number, rows: number, body: (terminal: Tmux) => Promise<void>): () => Promise<void> {
  return async () => {
    const terminal = new Tmux(columns, rows, project.path)
    try {
      await terminal.until(/\$/, 'the prompt of the shell')
      terminal.say(`clear; ${[process.execPath, ...CLI, 'chat', 'lead'].join(' ')}; echo "exit code $?"`)
      await terminal.until(/model fixture\/\w+\n(.*\n)*›$/m, 'the greeting and the prompt')
      await body(terminal)
    } finally {
      terminal.close()
    }
  }
}

/** The shell echoes again, line by line, and shows its cursor. */
async function expectRestored(terminal: Tmux, code: number): Promise<void> {
  await terminal.until(new RegExp(`exit code ${code}\\b`))
  expect(terminal.cursorVisible).toBe(true)
  terminal.say('clear; stty -a')
  const modes = await terminal.until(/ icanon/)
  expect(modes).toMatch(/ echo /)
  expect(modes).not.toMatch(/-icanon|-echo /)
}

describe.concurrent('a conversation in a real terminal', { timeout: 60_000 }, () => {
  describe.each([
    [80, 24],
    [40, 15],
  ])('%i × %i', (columns, rows) => {
    test(
      'the tree and the answer; Tab collapses and expands it in place; Ctrl-D ends, all is as before',
      talking(columns, rows, async (terminal) => {
        terminal.say('delegate it')
        await terminal.until(
          /› delegate it\n✔ scout {2}done {2}.* tokens.*\n│ {2}✔ peek .*\n\nLead has the answer of the scout\.\n\n✔ lead {2}done .*\n\n›$/,
        )
        terminal.press('Tab')
        const collapsed = await terminal.until((screen) => !screen.includes('peek'), 'a collapsed tree')
        expect(collapsed).toMatch(
          /› delegate it\n✔ scout {2}done .*\+1.*\n\nLead has the answer of the scout\.\n\n✔ lead {2}done .*\n\n›$/,
        )
        terminal.press('C-t')
        await terminal.until(/› delegate it\n✔ scout .*\n│ {2}✔ peek .*\n\nLead has/)
        terminal.press('C-d')
        await expectRestored(terminal, 0)
      }),
    )

    test(
      'while a turn runs its tree is live: time goes on, Tab toggles, Esc stops, and what was said stays',
      talking(columns, rows, async (terminal) => {
        terminal.say('delegate hang')
        const early = await terminal.until(/▶ scout {2}running .*\n│ {2}✔ peek .*\n▶ lead {2}running .*\n {2}Esc stops/)
        expect(terminal.cursorVisible).toBe(false)
        await terminal.until((screen) => /running.*/.exec(screen)?.[0] !== /running.*/.exec(early)?.[0], 'a later time')
        terminal.press('Tab')
        await terminal.until(/▶ scout {2}running .*\+1.*\n▶ lead {2}running/)
        terminal.press('Tab')
        await terminal.until(/▶ scout .*\n│ {2}✔ peek .*\n▶ lead/)
        terminal.press('Escape')
        await terminal.until(/■ scout {2}cancelled .*\n│ {2}✔ peek .*\n■ lead {2}aborted .*\n\n›$/)
        expect(terminal.cursorVisible).toBe(true)
        terminal.say('hello')
        await terminal.until(
          (screen) => screen.replace(/\s+/g, '').includes('Heard2:"delegatehang"/"hello"'),
          'both messages',
        )
      }),
    )
  })

  describe('keys and commands', () => {
    test(
      '/help, /tree, /model; Tab completes a command; an unknown one gives a hint',
      talking(80, 24, async (terminal) => {
        terminal.say('/help')
        await terminal.until(/\/tree {2,}Show the agents[\s\S]*Ctrl-D {2,}End the chat/)
        terminal.type('/tr')
        terminal.press('Tab', 'Enter')
        await terminal.until(
          /› \/tree\nlead {2}fixture\/lead {2}tools: ask_way\n {2}scout {2}fixture\/scout {2}tools: ask_where, fell, hold, peek/,
        )
        terminal.say('/model offline/nothing')
        await terminal.until(/There is no offline model "nothing"[\s\S]*The model stays as it was/)
        terminal.say('/model offline/planner')
        await terminal.until(/offline\/planner answers from now on/)
        terminal.say('/foo')
        await terminal.until(/There is no command "\/foo"/)
        terminal.say('/exit')
        await expectRestored(terminal, 0)
      }),
    )

    test(
      'Ctrl-C lets go of a line, stops a turn, and at an empty prompt ends the chat',
      talking(80, 24, async (terminal) => {
        terminal.type('half a li')
        await terminal.until(/› half a li$/)
        terminal.press('C-c')
        await terminal.until(/›$/)
        terminal.say('slow')
        await terminal.until(/Slowly begun\n\n▶ lead {2}running/)
        terminal.press('C-c')
        await terminal.until(/Slowly begun\n\n■ lead {2}aborted .*\n\n›$/)
        terminal.press('C-c')
        await expectRestored(terminal, 0)
      }),
    )

    test(
      'a turn that failed says what to do, and the conversation goes on',
      talking(80, 24, async (terminal) => {
        terminal.say('fail now')
        await terminal.until(
          /✖ lead {2}failed[\s\S]*error\[model-call-failed\][\s\S]*= fix: [\s\S]*Your message stays in the conversation, without an answer; ↑ brings it back/,
        )
        terminal.press('Up')
        await terminal.until(/› fail now$/)
        terminal.press('C-u')
        terminal.say('hello')
        await terminal.until(/Heard 2: "fail now" \/ "hello"/)
      }),
    )

    test(
      'a pasted text is one message, and a backslash goes on in the next line',
      talking(80, 24, async (terminal) => {
        terminal.paste('first\n\tsecond\nthird')
        await terminal.until(/› \[pasted #1: 3 lines\]$/)
        terminal.press('Enter')
        await terminal.until(/Heard 1: "first\\n\\tsecond\\nthird"/)
        terminal.say('one\\')
        await terminal.until(/… *$/)
        terminal.say('two')
        await terminal.until(/"one\\ntwo"/)
      }),
    )

    test(
      'what is typed ahead is seen, and sent when the turn has ended',
      talking(80, 24, async (terminal) => {
        terminal.say('slow')
        await terminal.until(/▶ lead {2}running/)
        terminal.say('next')
        await terminal.until(/Esc stops.*\n› next$/)
        terminal.press('Escape')
        await terminal.until(/■ lead {2}aborted .*\n\n› next\nHeard 2: "slow" \/ "next"/)
      }),
    )

    test(
      'a text that is longer than the screen is whole when one scrolls back, and Tab shows a tree anew',
      talking(80, 24, async (terminal) => {
        terminal.say('long')
        await terminal.until(/line 59\nline 60\n\n✔ lead {2}done .*\n\n›$/)
        terminal.say('delegate it')
        await terminal.until(/✔ lead {2}done .*\n\n›$/)
        terminal.say('/clear')
        await terminal.until(/A new conversation/)
        terminal.press('Tab')
        await terminal.until(/A new conversation\.\n\n✔ scout {2}done .*\+1.*\n✔ lead {2}done .*\n\n›$/)
      }),
    )

    test(
      'a tree that is taller than the screen leaves nothing of how it ran behind',
      talking(60, 15, async (terminal) => {
        terminal.say('delegate many, hang')
        let shown = await terminal.until(/… \d+ more lines\n[\s\S]*▶ lead {2}running .*\n {2}Esc stops/)
        const time = (screen: string): string | undefined => /▶ lead {2}running.*/.exec(screen)?.[0]
        for (let redrawn = 0; redrawn < 8; redrawn++) {
          const before = time(shown)
          shown = await terminal.until((screen) => time(screen) !== before, 'a later time')
        }
        terminal.press('Escape')
        await terminal.until(/■ lead {2}aborted .*\n\n›$/)
        const history = terminal.history()
        expect(history).not.toMatch(/running|more lines|Esc stops|stopping/)
        expect(history.match(/■ scout {2}cancelled/g)).toHaveLength(20)
        expect(history.match(/› delegate many, hang/g)).toHaveLength(1)
      }),
    )

    test(
      'B7.2 calls that wait are decided one after the other: y, e (what does not fit is asked again), n with a reason',
      talking(100, 50, async (terminal) => {
        const asked =
          /y approves · n declines · e edits the arguments · Esc, or l, leaves it for later\napprove\? y\/n\/e ›$/
        terminal.say('delegate fell oak and elm')
        await terminal.until(
          /│ {2}◇ fell {2}waiting .*\n◇ lead {2}waiting .*\n\n◇ lead › scout wants to run fell\n {2}tree: delegate/,
        )
        await terminal.until(asked)
        terminal.say('y')
        await terminal.until(/│ {2}✔ fell .*\n│ {2}◇ fell {2}waiting .*\n◇ lead {2}waiting .*\n\n.*\n {2}tree: elm\n/)
        await terminal.until(asked)
        terminal.say('e')
        await terminal.until(/arguments › {"tree":"elm"}$/)
        terminal.press('C-u')
        terminal.say('{"tree":1')
        await terminal.until(/That is no JSON: .*\narguments › {"tree":1$/)
        terminal.say('}')
        await terminal.until(/error\[decision-invalid\][\s\S]*\narguments › {"tree":1}$/)
        terminal.press('BSpace', 'BSpace')
        terminal.say('"ash"}')
        await terminal.until(
          /│ {2}✔ fell .*{"tree":"ash"}\n\nLead has the answer of the scout\.\n\n✔ lead {2}done .*\n\n›$/,
        )
        terminal.say('delegate fell fir')
        await terminal.until(asked)
        terminal.say('n')
        await terminal.until(/why not\? \(may be empty\) ›$/)
        terminal.say('too young')
        await terminal.until(/│ {2}✖ fell {2}declined .*too young.*\n\nLead has the answer/)
      }),
    )

    test(
      'B7.2 a question is left with Esc, what is typed ahead is no answer to it, and it is asked again with the conversation',
      talking(100, 50, async (terminal) => {
        terminal.type('which way')
        terminal.press('Enter', 'y', 'Enter')
        await terminal.until(/◇ lead: ask_way wants an answer\n[\s\S]*\n {4}question: Left or right\?\n.*\nanswer ›$/)
        terminal.press('Escape')
        const left = await terminal.until(
          /Left for later\.[\s\S]*retinue approvals answer [\s\S]*Heard 2: "which way" \/ "y"/,
        )
        expect(left).toContain('\n› y\n')
        terminal.say('/threads')
        await terminal.until(/which way {2}\(this one\)/)
        const [, number = ''] = /(\d+) .*which way {2}\(this one\)/.exec(terminal.screen()) ?? []
        terminal.say('/clear')
        await terminal.until(/A new conversation/)
        terminal.say(`/resume ${number}`)
        await terminal.until(/A new conversation[\s\S]*◇ lead: ask_way wants an answer[\s\S]*answer ›$/)
        terminal.say('"left"')
        await terminal.until(/✔ ask_way .*\n\nWhich: left\n\n✔ lead {2}done .*\n\n›$/)
        terminal.press('Up')
        await terminal.until(/› \/resume \d+$/)
      }),
    )

    test(
      'Ctrl-Z gives the terminal to the shell, and fg goes on where it was',
      talking(80, 24, async (terminal) => {
        terminal.type('half a mess')
        await terminal.until(/› half a mess$/)
        terminal.press('C-z')
        await terminal.until(/Stopped[\s\S]*\$$/)
        terminal.say('clear; stty -a')
        expect(await terminal.until(/ icanon/)).toMatch(/ echo /)
        terminal.say('clear; fg')
        await terminal.until(/› half a mess$/)
        terminal.say('age')
        await terminal.until(/Heard 1: "half a message"/)
      }),
    )

    test(
      'who interrupts twice leaves at once, without waiting for the turn to end',
      talking(80, 24, async (terminal) => {
        terminal.say('slow')
        await terminal.until(/▶ lead {2}running/)
        terminal.press('C-c', 'C-c')
        await expectRestored(terminal, 130)
      }),
    )

    test(
      'no text of a model steers the terminal',
      talking(80, 24, async (terminal) => {
        terminal.say('steer')
        await terminal.until(/› steer\nbeforeafter right\n\n✔ lead/)
      }),
    )

    test(
      'a resized terminal shows the turn once',
      talking(80, 24, async (terminal) => {
        terminal.say('delegate hang')
        await terminal.until(/▶ lead {2}running/)
        terminal.resize(30, 24)
        await terminal.until((screen) => screen.split('\n').some((line) => /^▶ scout .*…$/.test(line)), 'cut lines')
        terminal.resize(70, 20)
        await terminal.until(/▶ lead {2}running .*fixture\/lead/)
        terminal.press('Escape')
        const screen = await terminal.until(/■ lead {2}aborted .*\n\n›$/)
        expect(screen.match(/scout {2}(running|cancelled)/g)).toHaveLength(1)
        expect(screen.match(/lead {2}(running|aborted)/g)).toHaveLength(1)
      }),
    )
  })
})
