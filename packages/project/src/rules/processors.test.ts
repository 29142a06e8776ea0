import { expect, test } from 'vitest'
import {
  agent,
  agentsProject,
  below,
  codesOfBoth,
  config,
  findingsOf,
  MODEL,
  toldOf,
  tool,
} from '../../test-support/temp-project.ts'

const INPUT = "export default { id: 'in', processInput: () => undefined }\n"
const OUTPUT = "export default { id: 'out', processOutputResult: () => undefined }\n"
const SCORER = `import { createScorer } from '@retinue/core/evals'
export default createScorer({ id: 'short', description: 'Is it short?' }).generateScore(() => 1)
`
const NO_RUN = "throw new Error('run')\n"

test('B11.2 processors and scorers: one a file, objects or instances of classes', async () => {
  const cls = `class Guard {
  id = 'guard'
  processInputStep() {}
}
export default new Guard()
`
  const both = "export default { id: 'both', processInput() {}, processOutputStream: ({ part }) => part }\n"
  const shared = `class Shared {
  id = 'shared'
  processInput() {}
  processOutputResult() {}
  processPart() {}
  get processInputs() { throw new Error('called') }
}
export default new Shared()
`
  const files = {
    'processors/input/10-first.ts': INPUT,
    'processors/input/20-second.mjs': cls,
    'processors/output/both.ts': both,
    'processors/input/both.ts': "export { default } from '../output/both.ts'\n",
    'processors/input/shared.ts': shared,
    'processors/output/last.ts': OUTPUT,
    'processors/input/first.test.ts': NO_RUN,
    'processors/README.md': 'What they do.',
    'scorers/short.ts': SCORER,
    'scorers/some.ts': `import scorer from './short.ts'\nexport default { scorer, sampling: { type: 'ratio', rate: 0.5 } }\n`,
    'scorers/own.js': "export default { id: 'own', run: async () => ({ score: 1 }) }\n",
  }
  expect(await findingsOf(agent('sup', files))).toEqual([])
})

test('B11.3 default exports that are no processor and no scorer', async () => {
  const processors = {
    'a.ts': 'export const guard = {}\n',
    'b.ts': 'export default [5]\n',
    'c.ts': 'export default () => ({})\n',
    'd.ts': 'export default Promise.resolve({})\n',
    'e.ts': tool(),
    'f.ts': 'export default null\n',
  }
  const scorers = {
    'a.ts': 'export const scorer = 5\n',
    'b.ts': 'export default 5\n',
    'c.ts': "export default { id: 'c' }\n",
    'd.ts': 'export default Promise.resolve({ run() {} })\n',
  }
  const files = { ...below('processors/input', processors), ...below('scorers', scorers) }
  expect(
    await toldOf(agent('sup', { ...files, 'processors/output/x.ts': 'export default 5\n' })),
  ).toMatchInlineSnapshot(`
    "error[default-export-invalid] sup/processors/input/a.ts:1:1 (sup)
      "processors/input/a.ts" has no default export; it exports only "guard"
      fix: write: export default { id: 'guard', processInput({ messages }) { … } }
    error[default-export-invalid] sup/processors/input/b.ts:1:16 (sup)
      "processors/input/b.ts" exports a list as its default
      fix: write: export default { id: 'guard', processInput({ messages }) { … } }
    error[default-export-invalid] sup/processors/input/c.ts:1:16 (sup)
      "processors/input/c.ts" exports a function as its default
      fix: write: export default { id: 'guard', processInput({ messages }) { … } }
    error[default-export-invalid] sup/processors/input/d.ts:1:16 (sup)
      "processors/input/d.ts" exports a promise as its default
      fix: await it: export default await …
    error[default-export-invalid] sup/processors/input/e.ts:2:16 (sup)
      "processors/input/e.ts" exports a tool as its default
      fix: write: export default { id: 'guard', processInput({ messages }) { … } }
    error[default-export-invalid] sup/processors/input/f.ts:1:16 (sup)
      "processors/input/f.ts" exports null as its default
      fix: write: export default { id: 'guard', processInput({ messages }) { … } }
    error[default-export-invalid] sup/processors/output/x.ts:1:16 (sup)
      "processors/output/x.ts" exports a number as its default
      fix: write: export default { id: 'guard', processOutputResult({ text }) { … } }
    error[default-export-invalid] sup/scorers/a.ts:1:1 (sup)
      "scorers/a.ts" has no default export; it exports only "scorer"
      fix: write: export default createScorer({ id: 'short' }).generateScore(({ run }) => …)
    error[default-export-invalid] sup/scorers/b.ts:1:16 (sup)
      "scorers/b.ts" exports a number as its default
      fix: write: export default createScorer({ id: 'short' }).generateScore(({ run }) => …)
    error[default-export-invalid] sup/scorers/c.ts:1:16 (sup)
      "scorers/c.ts" exports an object as its default
      fix: write: export default createScorer({ id: 'short' }).generateScore(({ run }) => …)
    error[default-export-invalid] sup/scorers/d.ts:1:16 (sup)
      "scorers/d.ts" exports a promise as its default
      fix: await it: export default await …"
  `)
})

test('B1.1 a processor without an id, or without a method that is called where it stands', async () => {
  const files = {
    'processors/input/misplaced.ts': OUTPUT,
    'processors/input/nothing.ts': "export default { id: 'x' }\n",
    'processors/output/misplaced.ts': "export default { id: 'x', processInput() {}, processInputStep() {} }\n",
    'processors/output/nameless.ts': 'export default { processOutputStream: 5, processOutputResult() {} }\n',
    'processors/output/neither.ts': 'export default {}\n',
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[processor-invalid] sup/processors/input/misplaced.ts:1:16 (sup)
      the processor "processors/input/misplaced.ts" has none of the methods that are called there
      fix: move it to "processors/output/", where processOutputResult would be called
    error[processor-invalid] sup/processors/input/nothing.ts:1:16 (sup)
      the processor "processors/input/nothing.ts" has none of the methods that are called there
      fix: write processInput or processInputStep
    error[processor-invalid] sup/processors/output/misplaced.ts:1:16 (sup)
      the processor "processors/output/misplaced.ts" has none of the methods that are called there
      fix: move it to "processors/input/", where processInput and processInputStep would be called
    error[processor-invalid] sup/processors/output/nameless.ts:1:16 (sup)
      the processor "processors/output/nameless.ts" has no id
      fix: write id: 'nameless'
    error[processor-invalid] sup/processors/output/neither.ts:1:16 (sup)
      the processor "processors/output/neither.ts" has no id
      fix: write id: 'neither'
    error[processor-invalid] sup/processors/output/neither.ts:1:16 (sup)
      the processor "processors/output/neither.ts" has none of the methods that are called there
      fix: write processOutputStream or processOutputResult"
  `)
})

test('B11.10 methods that are never called where they stand: slips, unknown ones, those of the other side', async () => {
  const files = {
    'processors/input/class.ts':
      "class Guard {\n  id = 'g'\n  processInput() {}\n  processInputstep() {}\n}\nexport default new Guard()\n",
    'processors/input/p.ts':
      "export default {\n  id: 'p',\n  processInput() {},\n  processInputSetp() {},\n  processOutputResult() {},\n}\n",
    'processors/output/q.ts':
      "export default { id: 'q', processOutputResult() {}, processApiError() {}, processed: 5 }\n",
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[processor-method-ignored] sup/processors/input/class.ts:6:20 (sup)
      the method "processInputstep" of the processor "processors/input/class.ts" is never called
      fix: did you mean "processInputStep"? called here are "processInput" and "processInputStep"
    warning[processor-method-ignored] sup/processors/input/p.ts:4:3 (sup)
      the method "processInputSetp" of the processor "processors/input/p.ts" is never called
      fix: did you mean "processInputStep"? called here are "processInput" and "processInputStep"
    warning[processor-method-ignored] sup/processors/input/p.ts:5:3 (sup)
      the method "processOutputResult" of the processor "processors/input/p.ts" is never called
      fix: move it to a file in "processors/output/", where it is called
    warning[processor-method-ignored] sup/processors/output/q.ts:1:53 (sup)
      the method "processApiError" of the processor "processors/output/q.ts" is never called
      fix: called here are "processOutputStream" and "processOutputResult": rename it, or remove it"
  `)
})

test('B1.1 a scorer that core does not take', async () => {
  const files = {
    'scorers/rate.ts': `import scorer from './short.ts'\nexport default { scorer, sampling: { type: 'ratio', rate: 2 } }\n`,
    'scorers/short.ts': SCORER,
    'scorers/what.ts': 'export default { scorer: 5 }\n',
    'scorers/nameless.ts': 'export default { run: async () => ({ score: 1 }) }\n',
    'scorers/more.ts': `import scorer from './short.ts'\nexport default { scorer, rate: 1 }\n`,
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "error[scorer-invalid] sup/scorers/more.ts:2:16 (sup)
      The scorers of the agent "sup": "more" has the field rate, which is not known.
      fix: write: export default { scorer, sampling: { type: 'ratio', rate: 0.5 } }
    error[scorer-invalid] sup/scorers/nameless.ts:1:16 (sup)
      The scorers of the agent "sup": "nameless" is no scorer.
      fix: write: export default { scorer, sampling: { type: 'ratio', rate: 0.5 } }
    error[scorer-invalid] sup/scorers/rate.ts:2:16 (sup)
      The scorers of the agent "sup": "rate" has a sampling that is none.
      fix: { type: 'ratio', rate: 0 to 1 } or { type: 'none' }
    error[scorer-invalid] sup/scorers/what.ts:1:16 (sup)
      The scorers of the agent "sup": "what" is no scorer.
      fix: write: export default { scorer, sampling: { type: 'ratio', rate: 0.5 } }"
  `)
})

test("B11.4 the config's scorers win, and the file is not run; processors are added, and lose nothing", async () => {
  const own = `import scorer from './own/short.ts'\nexport default { ${MODEL}, scorers: { short: scorer }, inputProcessors: [{ id: 'in', processInput() {} }] }\n`
  const files = {
    'config.ts': own,
    'own/short.ts': SCORER,
    'scorers/short.ts': NO_RUN,
    'processors/input/in.ts': INPUT,
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/scorers/short.ts:1:1 (sup)
      scorer "short": "scorers.short in sup/config.ts" wins over "sup/scorers/short.ts"
      fix: remove one of the two (scorers.short in sup/config.ts, sup/scorers/short.ts)"
  `)
})

test('B11.1 two modules of one name: the better extension wins', async () => {
  const files = {
    'processors/input/a.ts': INPUT,
    'processors/input/a.js': NO_RUN,
    'scorers/a.mts': SCORER,
    'scorers/a.mjs': NO_RUN,
  }
  expect(await toldOf(agent('sup', files))).toMatchInlineSnapshot(`
    "warning[source-overridden] sup/processors/input/a.js:1:1 (sup)
      input-processor: "sup/processors/input/a.ts" wins over "sup/processors/input/a.js"
      fix: remove one of the two (sup/processors/input/a.ts, sup/processors/input/a.js)
    warning[source-overridden] sup/scorers/a.mjs:1:1 (sup)
      scorer: "sup/scorers/a.mts" wins over "sup/scorers/a.mjs"
      fix: remove one of the two (sup/scorers/a.mts, sup/scorers/a.mjs)"
  `)
})

test('B11.10 near misses, and what stands beside the slots', async () => {
  const files = {
    'processors/guard.ts': NO_RUN,
    'processors/input.ts': NO_RUN,
    'processors/notes.txt': '',
    'processors/error/a.ts': NO_RUN,
    'processors/Output/a.ts': NO_RUN,
    'processors/link': { link: 'input' },
    'processors/output/deep/a.ts': NO_RUN,
    'processors/output/view.tsx': '',
    'processors/output/link.ts': { link: '../guard.ts' },
    'scorers/deep/a.ts': NO_RUN,
    'scorers/rubric.md': '',
  }
  const near = agent('near', { 'processor/a.ts': '', 'scorer/a.ts': '', 'processors.ts': '', 'scorers.ts': '' })
  expect(await toldOf({ ...agent('sup', files), ...near })).toMatchInlineSnapshot(`
    "warning[entry-ignored] near/processor:1:1 (near)
      the folder "near/processor" is ignored: nothing is called that; did you mean "processors/"?
      fix: rename it to "processors/"
    warning[entry-ignored] near/processors.ts:1:1 (near)
      the file "near/processors.ts" is ignored: "processors/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] near/scorer:1:1 (near)
      the folder "near/scorer" is ignored: nothing is called that; did you mean "scorers/"?
      fix: rename it to "scorers/"
    warning[entry-ignored] near/scorers.ts:1:1 (near)
      the file "near/scorers.ts" is ignored: "scorers/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] sup/processors/Output:1:1 (sup)
      the folder "sup/processors/Output" is ignored: nothing is called that; did you mean "output/"?
      fix: rename it to "output/"
    warning[entry-ignored] sup/processors/error:1:1 (sup)
      the folder "sup/processors/error" is ignored: of folders, only "input/", "output/" are read here
      fix: move it elsewhere, or remove it; a folder that an agent's own modules import may stay
    warning[entry-ignored] sup/processors/guard.ts:1:1 (sup)
      the file "sup/processors/guard.ts" is ignored: a processor stands in "input/", before the model, or in "output/", behind it
      fix: move it to "processors/input/guard.ts" or "processors/output/guard.ts"
    warning[entry-ignored] sup/processors/input.ts:1:1 (sup)
      the file "sup/processors/input.ts" is ignored: "input/" is a folder here, and this is a file
      fix: make it a folder, or remove it
    warning[entry-ignored] sup/processors/link:1:1 (sup)
      the link "sup/processors/link" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/processors/notes.txt:1:1 (sup)
      the file "sup/processors/notes.txt" is ignored: no file is read here
      fix: move it elsewhere, or remove it; a file that an agent's own modules import may stay
    warning[entry-ignored] sup/processors/output/deep:1:1 (sup)
      the folder "sup/processors/output/deep" is ignored: only files directly in "output/" are read, each as a processor
      fix: move the files of "deep/" up into "output/"; what only your own modules import may stay
    warning[entry-ignored] sup/processors/output/link.ts:1:1 (sup)
      the link "sup/processors/output/link.ts" is ignored: links are not followed, so that nothing outside the application is read
      fix: replace the link by the file or folder that it points to
    warning[entry-ignored] sup/processors/output/view.tsx:1:1 (sup)
      the file "sup/processors/output/view.tsx" is ignored: a processor is a .ts, .mts, .js, .mjs file
      fix: rename it to "view.ts", or move it out of "output/"
    warning[entry-ignored] sup/scorers/deep:1:1 (sup)
      the folder "sup/scorers/deep" is ignored: only files directly in "scorers/" are read, each as a scorer
      fix: move the files of "deep/" up into "scorers/"; what only your own modules import may stay
    warning[entry-ignored] sup/scorers/rubric.md:1:1 (sup)
      the file "sup/scorers/rubric.md" is ignored: a scorer is a .ts, .mts, .js, .mjs file
      fix: rename it to "rubric.ts", or move it out of "scorers/""
  `)
})

test('B11.10 what they import is passed over, and told where it does not load', async () => {
  const files = {
    'processors/input/a.ts': "import { id } from '../lib/id'\nexport default { id, processInput() {} }\n",
    'processors/lib/id.ts': "export const id = 'a'\n",
    'scorers/a.ts': "import { run } from './lib/run'\nexport default { id: 'a', run }\n",
    'scorers/lib/run.ts': 'export const run = async () => ({ score: 1 })\n',
  }
  expect(await findingsOf(agent('sup', files))).toEqual([])
  const broken = { ...files, 'processors/lib/id.ts': 'export const id = \n', 'scorers/lib/run.ts': NO_RUN }
  expect(await toldOf(agent('sup', broken))).toMatchInlineSnapshot(`
    "error[syntax-error] sup/processors/lib/id.ts:2:1 (sup)
      Unexpected token
      fix: correct the syntax at this place; what is missing may stand earlier
    error[module-failed] sup/scorers/a.ts:1:10 (sup)
      "sup/scorers/a.ts" could not be loaded: SyntaxError: The requested module './lib/run' does not provide an export named 'run'
      fix: import a name that the other module exports, or export it there"
  `)
})

test('B11.3 B11.8 beside an Agent, and in what is overridden, they are not looked at', async () => {
  const coded = `import { Agent } from '@retinue/core/agent'
const kid = new Agent({ id: 'kid', description: 'Helps out.', model: 'openai/b', instructions: 'Work.' })
export default { ${MODEL}, agents: { kid } }
`
  const bad = { 'processors/input/a.ts': NO_RUN, 'processors/b.ts': '', 'scorers/a.ts': NO_RUN }
  const own = `import { Agent } from '@retinue/core/agent'\nexport default new Agent({ id: 'x', ${MODEL}, instructions: 'Work.' })\n`
  const files = {
    ...agent('sup', { 'config.ts': coded }),
    ...agent('sup/subagents/kid', bad),
    ...below('taken', { 'config.ts': own, ...bad }),
  }
  expect(await toldOf(files)).toMatchInlineSnapshot(`
    "warning[subagent-overridden] sup/config.ts:3:53 (sup > kid)
      config.agents.kid in sup/config.ts stands in for the directory sup/subagents/kid
      fix: remove "kid" from config.agents to use the directory, or remove the directory
    warning[files-ignored-by-agent] taken/processors:1:1 (taken)
      "taken/processors" is ignored: taken/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it
    warning[files-ignored-by-agent] taken/scorers:1:1 (taken)
      "taken/scorers" is ignored: taken/config.ts exports an Agent
      fix: export agentConfig({ … }) instead of new Agent({ … }), or remove it"
  `)
})

test('B11.11 the same findings, whether modules load in this process or in another', async () => {
  const root = agentsProject(
    agent('sup', {
      'config.ts': config(`${MODEL}, scorers: { taken: { id: 'taken', run: async () => ({ score: 1 }) } }`),
      'processors/input/a.ts': OUTPUT,
      'processors/output/b.ts': 'export default class {}\n',
      'scorers/a.ts': 'export default { scorer: 5 }\n',
      'scorers/taken.ts': NO_RUN,
    }),
  )
  expect(await codesOfBoth(root)).toEqual([
    'default-export-invalid',
    'processor-invalid',
    'scorer-invalid',
    'source-overridden',
  ])
})
