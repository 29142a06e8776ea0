// Who may import whom, as data. `check-imports.mjs` reads it; each entry says why, and that sentence is what a person sees
// when an import goes another way.
//
// A package's `src/` is cut into *units*: its folders, and the files directly in `src/`. Units stand in layers, lowest first.
// A unit may import every layer below its own and, in its own layer, only what `sideways` names. Type-only imports count too:
// a type drags its file along in the reader's head, and in the declarations that we publish.

/** Files that prove the others. They may import any layer, Node's modules and the test doubles. */
export const testFile = /\.test\.[cm]?tsx?$/

const core = {
  dir: 'packages/core',
  imports: [],
  why: 'core is what everything else stands on; a package that it needed could not be built without it',
  layers: [
    {
      shared: 'small helpers that know nothing of agents: abort, JSON, records, exhaustive switches',
      errors: 'an error must be throwable from every folder, so it can depend on none of them',
    },
    {
      messages: 'what was said is plain data: it knows neither who says it (model) nor who asks (loop)',
      events: 'the vocabulary of a run is plain data: whoever folds it must not need the code that emits it',
      context: 'a request context is handed through every layer, so it can know none of them',
    },
    {
      model: 'a model call knows messages and a port, not what the loop does with the answer',
      tools: 'a tool call is prepared and executed without knowing which loop asked for it',
      scorers: 'a scorer grades an answer: the loop asks it at the end of a run, so it can know neither loop nor agent',
      processors: 'a processor sees messages and parts of an answer, not the loop that hands them to it',
      storage:
        'what lasts is a port over plain data: the runs and memories that are kept know it, and it knows none of them',
      skills: 'a skill is text that a model loads with a tool: what it is needs no loop and no agent',
      workspace: 'files for an agent are offered as tools; reading them needs no loop and no agent',
    },
    {
      memory: 'a conversation is kept message by message: what decides what is said next is not its business',
      approvals: 'what a person is asked is a record: it knows neither the loop that waits nor who decides',
    },
    { loop: 'the loop is one function over plain state: delegation and agents reach it as tools and options' },
    { delegation: 'a delegation needs the small `DelegateTarget` that it declares itself, never the Agent class' },
    {
      background:
        'a task goes on with a call of the loop, which knows it by the port `RunTasks`; that it is an agent that works is handed in',
    },
    { agent: 'an agent puts loop, delegation and tools together, and knows nothing of what is made of agents' },
    {
      schedules: 'a schedule hands its agent to a function; no agent knows when it is asked',
      evals: 'the judges of scorers are agents; an agent whose run is judged gets the scorer handed in',
    },
    {
      'index.ts': 'the public entry: it re-exports and does nothing else',
      'retinue.ts': 'the application object: it holds agents, and no agent knows it',
    },
    { testing: 'test doubles may use everything; in production code they would ship to users' },
  ],
  sideways: [
    { from: 'errors', to: 'shared', why: 'an error uses the helpers for JSON and for exhaustive switches' },
    { from: 'events', to: 'messages', why: 'a chunk carries parts of messages' },
    { from: 'scorers', to: 'model', why: 'a scorer names the model of its judge, and calls none itself' },
    { from: 'scorers', to: 'tools', why: 'what a judge answers is checked by the schemas that tools have' },
    { from: 'processors', to: 'model', why: 'an output processor sees parts of a model’s answer' },
    { from: 'skills', to: 'tools', why: 'a model loads a skill with a tool' },
    { from: 'workspace', to: 'tools', why: 'a workspace is offered to the model as tools' },
    { from: 'index.ts', to: 'retinue.ts', why: 'the application object is public' },
  ],
  testOnly: [
    {
      unit: 'testing',
      subpath: './testing',
      // `offline/script` is the scripted model, for people at a command line.
      allowed: ['packages/cli/src/run/script-file.ts', 'packages/cli/src/run/choose-model.ts'],
    },
  ],
  // Needs nothing of ours and is loaded only when somebody asks for it.
  isolated: [
    {
      folder: 'model/offline',
      reachedFrom: 'model',
      typesFrom: ['@ai-sdk/provider'],
      why: 'the offline models are a stand-in behind the provider port: a real model pays neither load time nor a dependency for them',
    },
  ],
  noNode: 'core also runs in browsers and edge runtimes; what needs Node comes in through a port',
  pure: [
    {
      units: ['loop', 'delegation'],
      globals: ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'crypto', 'performance'],
      members: ['Date.now', 'Math.random'],
      constructors: ['Date'],
      why: 'a run must be replayable: each side effect goes through the effects port, which a durable engine wraps',
    },
  ],
}

const project = {
  dir: 'packages/project',
  imports: ['@retinue/core'],
  why: 'project turns folders into agents of core; it must not know the command line that calls it',
  layers: [
    { 'system-code.ts': 'what the system says went wrong is asked wherever files are touched' },
    {
      'layout.ts': 'the convention is data that every step reads, so it reads none of them',
      'blueprint.ts': 'what a project comes to is data that a build writes down, and knows nothing of how it was found',
      'exported-application.ts': 'what an index.ts exports is looked for the same way, here and in what was built',
      'node-version.ts': 'whether this Node will do is known before anything is read',
      'names.ts': 'what may be called how is decided before anything is found or loaded',
      tree: 'a source tree is bytes under paths: it gives no folder a meaning',
      findings: 'a finding is plain data and its rendering: every step may report one, so it knows none of them',
      workspace: 'the tools of a workspace know files, not the folders of agents',
    },
    {
      discover:
        'discovery reads names and syntax and never runs a user’s module: it must not be able to reach the loader',
      facts: 'facts say what a loaded value is, as plain JSON: the same in this process and in another',
    },
    {
      'plan.ts': 'the plan of an agent joins what was discovered with what is known of its modules; it loads nothing',
      'slot-values.ts': 'what modules export has its types by their slots, wherever it came from',
    },
    {
      load: 'loading runs users’ modules in the order of the plan; it judges nothing, that is for the rules',
      'followed-files.ts': 'what a project is made of is followed from module to module; none of it is run',
    },
    {
      rules: 'a rule reads what was discovered and loaded and reports; it mends and assembles nothing',
      types: 'what types are told of the agents is written from plans, with no regard to what rules found',
      'draw-blueprint.ts': 'a blueprint is written down from plans, with no regard to what rules found',
      'tree-description.ts': 'a description of the tree is made from plans, with no regard to what rules found',
    },
    { 'validate.ts': 'validation puts all rules to a tree; who asked for the findings is not its business' },
    { 'examine.ts': 'the one walk from a source tree to findings and plans, the same for `check` and `loadProject`' },
    {
      'project-root.ts': 'where a project begins is asked by whoever starts on a disk, and by nothing below',
      'every-change.ts': 'when to look again is nothing to what is looked at',
      'added-parts.ts': 'what files add to a config is put together, not found or judged',
      'assemble.ts': 'assembling makes agents of faultless plans; it must not find, load or judge anything itself',
      'assemble-application.ts': 'an application is made of agents that are made already, and of what they share',
    },
    { 'assemble-project.ts': 'a project is its agents and what they share, put together; it finds and loads nothing' },
    { schedules: 'schedules are run over an application that is put together; nothing below knows when' },
    { 'runtime.ts': 'the public entry for what was built: it re-exports and does nothing else' },
    {
      'check-project.ts': 'stops at the findings, and so never assembles',
      'load-project.ts': 'goes all the way to agents, and throws the findings if there are errors',
    },
    { 'plan-build.ts': 'a build begins where checking ends' },
    { 'index.ts': 'the public entry: it re-exports and does nothing else' },
  ],
  sideways: [
    {
      from: 'load-project.ts',
      to: 'check-project.ts',
      why: 'who loads a project is told of it what checking it tells',
    },
    { from: 'blueprint.ts', to: 'layout.ts', why: 'a module is told by its slot' },
    { from: 'assemble.ts', to: 'added-parts.ts', why: 'an agent is made with the parts that its files add' },
  ],
}

const evals = {
  dir: 'packages/evals',
  imports: ['@retinue/core'],
  why: 'evals grades what agents of core gave; where they came from, files or code, is nothing to it',
  layers: [
    {
      rubric: 'a rubric asks a judge: it needs no check in code',
      checks: 'a check in code is exact and asks nobody',
    },
    { scorers: 'the public entry: it re-exports and does nothing else' },
  ],
  sideways: [],
}

const memory = {
  dir: 'packages/memory',
  imports: ['@retinue/core'],
  why: 'memory implements a port of core over storage of any kind, and knows no database',
  layers: [
    { 'in-time.ts': 'that what is asked may never answer is nothing to do with what is asked' },
    {
      options: 'what a memory can be told is checked before anything is opened',
      'spoken.ts': 'who spoke in a message is asked everywhere, and asks nobody',
      'afterwork.ts': 'what is done after a run is waited for in one place, whatever it is',
      'teller.ts': 'a warning goes out the same way, whoever has one',
      'forget-runs.ts': 'what waits in a thread goes with it, and needs nothing of what was said there',
    },
    {
      recall: 'earlier messages are found without regard to what else a turn does',
      'working-memory': 'notes are kept without regard to messages',
      titles: 'a title is made of what was said, and needs no notes',
      processors: 'processors see a prompt, not the memory that it came from',
      'remembered-message.ts': 'how an application reads a message, whatever it was found by',
    },
    { 'forget-replaced.ts': 'what is deleted is found by nobody, whichever part of a turn deletes it' },
    { 'opened-turn.ts': 'what a run does with its thread, once everything was found' },
    { 'open-turn.ts': 'what a run begins with is found with all parts below' },
    { 'memory.ts': 'the class that people make' },
    { 'index.ts': 'the public entry: it re-exports and does nothing else' },
  ],
  sideways: [],
}

const libsql = {
  dir: 'packages/libsql',
  imports: ['@retinue/core'],
  why: 'libsql implements ports of core, and knows nothing of who stores what with it',
  layers: [
    {
      database: 'a database runs statements and tells its errors apart; what they say of threads is not its business',
    },
    { schema: 'the tables, and how they came to be, are made with statements and nothing else' },
    {
      threads: 'a domain of the port: its statements, and the rows that they give',
      'working-memory': 'a domain of the port, as threads are',
      runs: 'two domains of the port that share transactions, runs and the decisions that they wait for',
      tasks: 'a domain of the port: tasks, what is said to them and what they share are written by nobody else',
      vectors: 'vectors share the file with threads, and no table',
    },
    {
      'libsql-store.ts': 'a store is its domains over one database',
      'libsql-vector.ts': 'vectors need no threads: a store of their own over one database',
    },
    { 'index.ts': 'the public entry: it re-exports and does nothing else' },
    { testing: 'faults for tests; nothing that ships stores with them' },
  ],
  sideways: [],
  testOnly: [{ unit: 'testing', subpath: './testing', allowed: [] }],
}

const server = {
  dir: 'packages/server',
  imports: ['@retinue/core'],
  why: 'the server offers agents of core, wherever they came from: files, a bundle or code',
  layers: [
    {
      'is-object.ts': 'what JSON is made of is asked everywhere, and asks nobody',
      'defined.ts': 'fields that are left out are the same everywhere',
      'assert-never.ts': 'an exhaustive switch needs nothing of what it switches on',
      'task-end.ts': 'that a task has ended is seen in the same way at both ends of a connection',
    },
    {
      errors: 'how an error is answered is decided in one place, whatever failed',
      sse: 'a stream of events is frames and a source of them: what they tell is not its business',
    },
    { settings: 'what a server can be told, and who asks, is checked before there is a server' },
    {
      guard: 'a request is checked before anybody knows what it asks for',
      runs: 'runs and their logs are kept whether or not anybody asks for them over HTTP',
    },
    { http: 'a route is data: what serves it knows its schemas and its owner rule, and not what it does' },
    { schemas: 'what requests and answers are is written once, for checks, types and OpenAPI' },
    { work: 'what routes have done: runs begun, decided, ended and told, in no protocol of its own' },
    {
      chat: 'one protocol over what is done: the AI SDK’s',
      openai: 'one protocol over what is done: OpenAI’s',
    },
    { routes: 'the table: each route in a row, and the work done below' },
    {
      'create-handler.ts': 'puts the table, the checks and the runs together, for any runtime with web standards',
      client: 'a client knows the answers of a server by their types alone: nothing of the server runs in it',
    },
    { 'index.ts': 'the public entry: it re-exports and does nothing else' },
    { node: 'listening is Node’s part: what can be bundled for elsewhere does not know it' },
  ],
  sideways: [],
}

const cli = {
  dir: 'packages/cli',
  imports: ['@retinue/core', '@retinue/project', '@retinue/memory', '@retinue/libsql', '@retinue/server'],
  why: 'the command line stands on top: it shows what project and core say, and keeps conversations in a file',
  layers: [
    {
      'end-process.ts': 'however a command ends, what it printed must have been handed over',
      'exit-codes.ts': 'what a script can rely on is a table that all commands share',
      'load-env.ts': 'reading .env files is the same for every command',
      'wants-colors.ts': 'whether a stream gets colours is one question, whatever is printed to it',
      'render-findings.ts': 'findings look the same wherever they are printed',
      'safe-text.ts': 'what models and tools wrote must not steer a terminal, whatever prints it',
      'json-or-text.ts': 'what a person types as an answer is read the same way everywhere',
      'usage-error.ts': 'that a command line makes no sense is told the same way, whoever finds it',
      'is-within.ts': 'what is in a folder is told by its path in one way: what must not leave a folder does not',
      'write-all.ts': 'all is written or nothing, whatever the files are of',
      'table.ts': 'records look the same wherever they are listed',
      'command.ts': 'how a command is declared and how its errors are shown, whichever command it is',
    },
    { 'check-at.ts': 'a project that is not where the command line says is a slip, for whichever command' },
    { run: 'what happens while an agent runs: which model, what is shown; it parses no arguments' },
    {
      approvals: 'a decision goes on with a run: it knows how one is shown, and `run` knows nothing of other processes',
    },
    { tasks: 'a task is answered as a call of a run is decided; neither knows what goes on in the background' },
    { chat: 'a conversation is many runs: it knows how one is shown, and `run` knows nothing of it' },
    { serve: 'an application is served the same way, from folders and from what was built' },
    {
      schedules: 'what is done with schedules by hand; serving runs them by itself',
      create: 'a new project is files of a template; nothing of it is run',
      import: 'what others wrote becomes files of the convention; nothing of it is run',
      dev: 'a development is versions of one folder, each served as any application is',
      build: 'a build is made of a checked project; it runs nothing of it',
      output: 'what an output does when it starts: it must be able to do without everything that reads a project',
    },
    { commands: 'a command reads its arguments and leaves the work to the folders below' },
    { 'main.ts': 'the list of commands', 'compile-cache.ts': 'it is turned on before any other module is loaded' },
  ],
  sideways: [
    {
      from: 'write-all.ts',
      to: 'usage-error.ts',
      why: 'a place where nothing can be written is a slip of who named it',
    },
    { from: 'table.ts', to: 'safe-text.ts', why: 'what models wrote stands in tables, too' },
    {
      from: 'load-env.ts',
      to: 'usage-error.ts',
      why: 'a .env that can’t be read is a slip of who starts the command',
    },
    { from: 'command.ts', to: 'usage-error.ts', why: 'a command line is checked before a command runs' },
  ],
}

/** Applications: they see only what a user of the packages sees. */
const examples = {
  dirs: 'examples/*',
  imports: ['@retinue/core', '@retinue/project', '@retinue/evals'],
  why: 'an example shows what a user would write, so it uses the public names alone',
}

export const graph = {
  packages: {
    '@retinue/core': core,
    '@retinue/project': project,
    '@retinue/evals': evals,
    '@retinue/memory': memory,
    '@retinue/libsql': libsql,
    '@retinue/server': server,
    retinue: cli,
  },
  examples,
}
