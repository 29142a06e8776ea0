import { expect, test } from 'vitest'
import { agent, agentsProject, codesOfBoth, findingsOf, toldOf } from '../../test-support/temp-project.ts'
import { checkProject } from '../check-project.ts'

function schedule(fields: string): string {
  return `import { createSchedule } from '@retinue/core/schedules'\nexport default createSchedule({ ${fields} })\n`
}

test('B11.2 schedules: modules in every extension, Markdown, and folders below', async () => {
  const files = {
    'schedules/a.ts': schedule("cron: '0 9 * * 1-5', prompt: 'Sum up.'"),
    'schedules/b.mjs': schedule("cron: '*/5 * * * *', timeZone: 'Europe/Paris', handler: () => {}, catchUp: true"),
    'schedules/reports/c.md': '---\ncron: 30 6 1 * *\nallowOverlap: true\ndescription: Monthly.\n---\nReport.\n',
    'schedules/d.js': "export default { cron: '0 0 * JAN sun', prompt: 'Plain.' }\n",
  }
  expect(await findingsOf(agent('sup', files))).toEqual([])
  expect(await codesOfBoth(agentsProject(agent('sup', files)))).toEqual([])
})

test('B11.2 what can not run is told at its place, all of it at once', async () => {
  const files = {
    'schedules/a.ts': schedule("cron: '0 9 * * 8', prompt: 'x', timeZone: 'Mars/Base'"),
    'schedules/b.ts': schedule("cron: '* * * * * *', prompt: 'x', handler: () => {}"),
    'schedules/c.ts': schedule("cron: 5, handler: 'x', allowOverlap: 'no', descripton: ''"),
    'schedules/d.ts': schedule("prompt: ' '"),
    'schedules/e.ts': 'export default 5\n',
    'schedules/f.md': '---\ncron: 0 9 * * *\ntimezone: UTC\nprompt: x\n---\n',
    'schedules/g.md': 'Only text.\n',
    'schedules/h.md': '---\ncron: [\n---\nx\n',
    'schedules/i.ts': schedule("cron: '0 9 * * *'"),
    'schedules/not ok.md': '---\ncron: 0 9 * * *\n---\nx\n',
    'schedules/notes.txt': '',
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[schedule-invalid] sup/schedules/a.ts:2:39 (sup)
      the schedule "a" has a cron that can't be read: Invalid value for dayOfWeek: 8
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/a.ts:2:75 (sup)
      the schedule "a" has a time zone that is not known: "Mars/Base"
      fix: write an IANA name, such as timeZone: 'Europe/Paris', or leave it out for UTC
    error[schedule-invalid] sup/schedules/b.ts:2:39 (sup)
      the schedule "b" has a cron that has 6 fields, and not five
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/b.ts:2:76 (sup)
      the schedule "b" has a prompt and a handler
      fix: keep one of the two
    error[schedule-invalid] sup/schedules/c.ts:2:39 (sup)
      the schedule "c" has a number as its cron
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/c.ts:2:51 (sup)
      the schedule "c" has a string as its handler
      fix: write prompt: '…', or handler: async ({ run }) => { … }
    error[schedule-invalid] sup/schedules/c.ts:2:70 (sup)
      the schedule "c" has a string as its allowOverlap
      fix: write allowOverlap: true, or leave it out
    error[schedule-invalid] sup/schedules/c.ts:2:88 (sup)
      the schedule "c" has a field "descripton", which means nothing here
      fix: did you mean "description"? known are cron, timeZone, description, allowOverlap, catchUp, prompt, handler
    error[schedule-invalid] sup/schedules/d.ts:2:16 (sup)
      the schedule "d" says not when: it has no cron
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/d.ts:2:41 (sup)
      the schedule "d" has a prompt with nothing in it
      fix: write prompt: '…', or handler: async ({ run }) => { … }
    error[default-export-invalid] sup/schedules/e.ts:1:16 (sup)
      "schedules/e.ts" exports a number as its default
      fix: write: export default createSchedule({ cron: '0 9 * * 1-5', prompt: '…' })
    error[schedule-invalid] sup/schedules/f.md:3:11 (sup)
      the schedule "f" has a field "timezone", which means nothing here
      fix: did you mean "timeZone"? known are cron, timeZone, description, allowOverlap, catchUp
    error[schedule-invalid] sup/schedules/f.md:4:9 (sup)
      the schedule "f" has a field "prompt", which means nothing here
      fix: write it below the frontmatter
    error[schedule-invalid] sup/schedules/f.md:4:9 (sup)
      the schedule "f" has no prompt
      fix: write below the frontmatter what the agent shall do
    error[schedule-invalid] sup/schedules/g.md:1:1 (sup)
      the schedule "g" says not when: it has no cron
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[frontmatter-invalid] sup/schedules/h.md:2:8 (sup)
      the frontmatter of "schedules/h.md" can't be read: Flow sequence in block collection must be sufficiently indented and end with a ]
      fix: write "key: value" lines between two lines of ---; put the cron into quotes, such as cron: '*/5 * * * *', and any value that holds ": " or "#"
    error[schedule-invalid] sup/schedules/i.ts:2:16 (sup)
      the schedule "i" says not what: it has neither a prompt nor a handler
      fix: write prompt: '…', or handler: async ({ run }) => { … }
    error[name-invalid] sup/schedules/not ok.md:1:1 (sup)
      a schedule can't be called "not ok": " " is not a letter, a digit, "_" or "-"
      fix: rename it, for example to "not-ok"
    warning[entry-ignored] sup/schedules/notes.txt:1:1 (sup)
      the file "sup/schedules/notes.txt" is ignored: a schedule is a .ts, .mts, .js, .mjs, .md file
      fix: rename "notes.txt", or move it out of "schedules/""
  `)
})

test('B11.2 a day that never comes is told; one that comes every fourth year is not', async () => {
  const files = {
    'schedules/a.ts': schedule("cron: '0 0 30 2 *', prompt: 'x'"),
    'schedules/b.md': '---\ncron: 0 0 31 4,6 *\n---\nx\n',
    'schedules/c.md': '---\ncron: 0 0 29 2 *\n---\nx\n',
    // Either of the two days is enough.
    'schedules/d.md': '---\ncron: 0 0 30 2 1\n---\nx\n',
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[schedule-invalid] sup/schedules/a.ts:2:39 (sup)
      the schedule "a" has a cron that never comes: no month of it has such a day
      fix: name a day that one of its months has
    error[schedule-invalid] sup/schedules/b.md:2:7 (sup)
      the schedule "b" has a cron that never comes: no month of it has such a day
      fix: name a day that one of its months has"
  `)
})

test('B11.1 of two schedules of one key the better extension wins, with a warning', async () => {
  const text = '---\ncron: 0 9 * * *\n---\nWork.\n'
  const files = { 'schedules/a.md': text, 'schedules/a.ts': schedule("cron: '0 9 * * *', prompt: 'x'") }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/schedules/a.md:1:1 (sup)
      schedule: "sup/schedules/a.ts" wins over "sup/schedules/a.md"
      fix: remove one of the two (sup/schedules/a.ts, sup/schedules/a.md)"
  `)
})

test('B11.2 the schedules of a subagent are told, and not loaded', async () => {
  const files = { 'schedules/a.ts': "throw new Error('run')\n" }
  const found = await toldOf({ ...agent('sup'), ...agent('sup/subagents/kid', files) })
  expect(found).toMatchInlineSnapshot(`
    "warning[schedules-ignored] sup/subagents/kid/schedules:1:1 (sup > kid)
      the schedules of the subagent "kid" never run
      fix: move them to "agents/sup/schedules/", and let the prompt ask for the subagent"
  `)
})

test('B11.13 a cron is five fields, in files and in code: no date, no shorthand', async () => {
  const files = {
    'schedules/a.md': '---\ncron: 2026-12-05T00:00:00\n---\nx\n',
    'schedules/b.md': "---\ncron: '@daily'\n---\nx\n",
    'schedules/c.ts': schedule("cron: '2099-12-05T00:00:00', prompt: 'x'"),
    'schedules/d.ts': schedule("cron: '@Hourly', prompt: 'x'"),
    'schedules/e.ts': schedule("cron: '@reboot', prompt: 'x'"),
    'schedules/f.ts': schedule("cron: '0 9 * * 1:30', prompt: 'x'"),
    'schedules/g.ts': schedule("cron: ' ', prompt: 'x'"),
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[schedule-invalid] sup/schedules/a.md:2:7 (sup)
      the schedule "a" has a cron that is a date or a time of day, and not five fields
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/b.md:2:7 (sup)
      the schedule "b" has a cron that is a shorthand, and not five fields
      fix: write cron: '0 0 * * *'
    error[schedule-invalid] sup/schedules/c.ts:2:39 (sup)
      the schedule "c" has a cron that is a date or a time of day, and not five fields
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/d.ts:2:39 (sup)
      the schedule "d" has a cron that is a shorthand, and not five fields
      fix: write cron: '0 * * * *'
    error[schedule-invalid] sup/schedules/e.ts:2:39 (sup)
      the schedule "e" has a cron that has 1 field, and not five
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/f.ts:2:39 (sup)
      the schedule "f" has a cron that is a date or a time of day, and not five fields
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'
    error[schedule-invalid] sup/schedules/g.ts:2:39 (sup)
      the schedule "g" has a cron that is empty, and not five
      fix: write five fields (minute, hour, day of the month, month, day of the week), such as cron: '0 9 * * 1-5'"
  `)
})

test('B11.13 why a name can be no name of a schedule has nothing to do with tools', async () => {
  const files = { 'schedules/not ok.md': '---\ncron: 0 9 * * *\n---\nx\n' }
  const [finding] = (await checkProject(agentsProject(agent('sup', files)))).findings
  expect([finding?.code, finding?.why]).toEqual([
    'name-invalid',
    expect.stringMatching(/^a schedule is asked for by its name/),
  ])
})

test('B11.1 of two schedules with one key the module wins, whatever else stands beside them', async () => {
  const both = {
    'schedules/daily.ts': schedule("cron: '0 9 * * *', prompt: 'By code.'"),
    'schedules/daily.md': '---\ncron: 0 9 * * *\n---\nBy text.\n',
  }
  for (const stray of [{}, { 'schedules/daily.mdx': 'x' }, { 'schedules/daily.json': '{}' }]) {
    const told = await toldOf(agent('sup', { ...both, ...stray }))
    expect(told).toContain('warning[source-overridden] sup/schedules/daily.md')
  }
})

test.each(['*/5 * * * *', '* * * * *', '@daily'])(
  'B11.11 a cron that YAML takes for something else: how it is written is told: %s',
  async (cron) => {
    const told = await toldOf(agent('sup', { 'schedules/a.md': `---\ncron: ${cron}\n---\nSum up.\n` }))
    expect(told).toContain("put the cron into quotes, such as cron: '*/5 * * * *'")
    const quoted = await toldOf(agent('sup', { 'schedules/a.md': `---\ncron: '${cron}'\n---\nSum up.\n` }))
    expect(quoted).not.toContain('frontmatter-invalid')
  },
)
