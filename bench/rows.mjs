// What the bench measures. A row is one measurement, which gives one or more lines of the table.
//
// `aim` is what the project aims at, as `[ours, limit]`: both were set for one machine, where the limit is a hand-written loop much
// like floor.mjs. Only their ratio means something elsewhere. `{ atMost }` is an aim that needs no other side: memory is much the
// same on every machine, and a hand-written loop, which has next to nothing to hold, is no measure for it.
//
// `why` says what a line costs that does not reach its aim, as profiled. It is printed only then.
//
// `warm` is how many runs come before the first that counts: enough for both sides to be compiled, since a hand-written loop is
// compiled long before a framework is. `quick` is what `--quick` changes.

const QUICK = { rounds: 1, effort: 0.01 }

const perLevel = ({ one, four }) => (four.cpu - one.cpu) / 3
const exponent = ({ few, many }) => Math.log(many.cpu / few.cpu) / Math.log(4)
const MANY_CHUNKS = 10_000

const WHY = {
  build:
    'beside what `check` takes, it is the bundler (22 MB), which reads our own packages and the server meanwhile, and links, shrinks and writes them, whatever the number of agents',
  check:
    'two processes start; the one that loads then takes its time for a thousand ' +
    'modules one after the other: half of it is Node finding, stripping and compiling them, a sixth telling what each of them is, ' +
    'a twelfth having core look at what they export; the other parses and judges meanwhile',
  chunk: 'every level is a full run with its own state, envelope and hooks, and a chunk passes them all',
  level:
    'every level is a full run with its own state, envelope and hooks, and each model call gets its own copy of the prompt, ' +
    'because a model may keep it',
  long:
    'every delegation is a full run with its own state, envelope and hooks; the copy of the prompt that each model call gets, ' +
    'because a model may keep it, was left out as a trial and costs less than runs differ',
  growth:
    'not known; runs of the bench differ from 1.05 to 1.17 (by hand from 0.96 to 1.09), and without copies of the prompt from ' +
    '1.04 to 1.14',
  waiting: 'async frames (about 0.45 KB each, some 17 held), the state of each run and its sets',
  import:
    'a quarter of a megabyte that runs agents is compiled, and its classes made, though much of it is needed only when they run',
}

export const ROWS = [
  {
    name: 'generate',
    measure: 'batch',
    mode: 'generate',
    shapes: { one: { shape: { depth: 1 }, warm: 20_000, runs: 400 } },
    rounds: 15,
    quick: QUICK,
    lines: [{ what: 'one delegation, generate', unit: 'CPU ms', value: ({ one }) => one.cpu, aim: [0.1, 0.03] }],
  },
  {
    name: 'stream',
    measure: 'batch',
    mode: 'stream',
    shapes: { one: { shape: { depth: 1 }, warm: 20_000, runs: 400 } },
    rounds: 15,
    quick: QUICK,
    lines: [
      { what: 'one delegation, stream', unit: 'CPU ms', value: ({ one }) => one.cpu, aim: [0.15, 0.045] },
      { what: 'time to the first text', unit: 'ms', value: ({ one }) => one.first, aim: [0.1, 0.023] },
    ],
  },
  {
    name: 'depth',
    measure: 'batch',
    mode: 'generate',
    shapes: {
      one: { shape: { depth: 1 }, warm: 10_000, runs: 200 },
      two: { shape: { depth: 2 }, warm: 5_000, runs: 200 },
      three: { shape: { depth: 3 }, warm: 5_000, runs: 200 },
      four: { shape: { depth: 4 }, warm: 5_000, runs: 200 },
    },
    rounds: 15,
    quick: QUICK,
    lines: [
      { what: 'depth 2', unit: 'CPU ms', value: ({ two }) => two.cpu },
      { what: 'depth 3', unit: 'CPU ms', value: ({ three }) => three.cpu },
      { what: 'depth 4', unit: 'CPU ms', value: ({ four }) => four.cpu },
      { what: 'each level, from depth 1 to 4', unit: 'CPU ms', value: perLevel, aim: [0.05, 0.024], why: WHY.level },
    ],
  },
  {
    name: 'fan',
    measure: 'batch',
    mode: 'generate',
    shapes: { all: { shape: { fan: 256 }, warm: 150, runs: 4 } },
    rounds: 15,
    quick: QUICK,
    lines: [
      { what: '256 subagents in one step', unit: 'CPU ms', value: ({ all }) => all.cpu, aim: [15, 7], why: WHY.level },
    ],
  },
  {
    name: 'fan-memory',
    measure: 'peak',
    mode: 'generate',
    small: { fan: 1 },
    shape: { fan: 256 },
    runs: 7,
    rounds: 5,
    quick: { rounds: 1, runs: 1 },
    lines: [
      {
        what: '256 subagents in one step, peak',
        unit: 'MB',
        value: ({ peak }) => peak,
        aim: { atMost: 30 },
        why: WHY.level,
      },
    ],
  },
  {
    name: 'chunks',
    measure: 'batch',
    mode: 'stream',
    shapes: {
      near: { shape: { depth: 1, chunks: MANY_CHUNKS }, warm: 40, runs: 2 },
      deep: { shape: { depth: 3, chunks: MANY_CHUNKS }, warm: 40, runs: 2 },
    },
    rounds: 15,
    quick: QUICK,
    lines: [
      {
        what: "a child's chunk, depth 1",
        unit: 'CPU µs',
        value: ({ near }) => (near.cpu * 1000) / MANY_CHUNKS,
        aim: [2, 1.3],
        why: WHY.chunk,
      },
      {
        what: "a child's chunk, depth 3",
        unit: 'CPU µs',
        value: ({ deep }) => (deep.cpu * 1000) / MANY_CHUNKS,
        aim: [2.5, 1.3],
        why: WHY.chunk,
      },
    ],
  },
  {
    name: 'long',
    measure: 'batch',
    mode: 'generate',
    shapes: {
      few: { shape: { steps: 200 }, warm: 100, runs: 4 },
      many: { shape: { steps: 800 }, warm: 10, runs: 1 },
    },
    rounds: 15,
    quick: QUICK,
    lines: [
      { what: '200 delegations in one run', unit: 'CPU ms', value: ({ few }) => few.cpu, aim: [10, 3], why: WHY.long },
      {
        what: '800 delegations in one run',
        unit: 'CPU ms',
        value: ({ many }) => many.cpu,
        aim: [100, 68],
        why: WHY.long,
      },
      { what: 'growth from 200 to 800', unit: 'exponent', value: exponent, aim: { atMost: 1.05 }, why: WHY.growth },
    ],
  },
  {
    name: 'waiting',
    measure: 'waiting',
    shape: { depth: 1 },
    runs: 2_000,
    rounds: 3,
    quick: { rounds: 1, runs: 50 },
    lines: [
      {
        what: 'a run that waits for its model',
        unit: 'KB heap',
        value: ({ held }) => held,
        aim: { atMost: 8 },
        why: WHY.waiting,
      },
    ],
  },
  {
    name: 'import',
    measure: 'import',
    module: '@retinue/core/agent',
    rounds: 21,
    quick: { rounds: 1 },
    lines: [
      {
        what: 'import, above bare Node',
        unit: 'CPU ms',
        value: ({ cpu }) => cpu,
        aim: { atMost: 20 },
        why: WHY.import,
      },
    ],
  },
  {
    name: 'storage',
    measure: 'storage',
    rounds: 15,
    turns: 40,
    recalls: 200,
    quick: { rounds: 1, turns: 2, recalls: 4 },
    lines: [
      {
        what: 'a turn in storage: begun with 20 messages recalled, ended',
        unit: 'CPU ms',
        value: ({ turn }) => turn,
        aim: [2, 0.04],
      },
      { what: 'recall of 20 messages from 5,000', unit: 'CPU ms', value: ({ recall20 }) => recall20, aim: [1, 0.04] },
      { what: 'recall of 200', unit: 'CPU ms', value: ({ recall200 }) => recall200, aim: { atMost: 4 } },
      { what: 'recall of 2,000', unit: 'CPU ms', value: ({ recall2000 }) => recall2000, aim: { atMost: 40 } },
    ],
  },
  {
    name: 'check',
    measure: 'check',
    agents: 500,
    rounds: 7,
    quick: { rounds: 1, agents: 6 },
    lines: [
      {
        what: '`check` of 500 agents',
        unit: 'wall s',
        value: ({ wall }) => wall,
        aim: { atMost: 1.5 },
        why: WHY.check,
      },
    ],
  },
  ...[
    { agents: 10, atMost: 1, rounds: 9 },
    { agents: 500, atMost: 2.5, rounds: 7 },
  ].map(({ agents, atMost, rounds }) => ({
    name: `build-${agents}`,
    measure: 'check',
    command: 'build',
    agents,
    rounds,
    quick: { rounds: 1, agents: 6 },
    lines: [
      {
        what: `\`build\` of ${agents} agents`,
        unit: 'wall s',
        value: ({ wall }) => wall,
        aim: { atMost },
        why: WHY.build,
      },
    ],
  })),
]
