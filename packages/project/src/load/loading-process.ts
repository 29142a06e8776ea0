/**
 * The process that runs the code of a project for `check`: it may hang, exit or crash without harm. Its stdout is the parent's
 * stderr, so that nothing a module prints is taken for a result.
 */
import { closeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { pathToFileURL } from 'node:url'
import { AgentIdentities } from '../facts/agent-identities.ts'
import { endWithParent } from './end-with-parent.ts'
import { failureOf } from './failure.ts'
import { followLoading } from './followed-loading.ts'
import { loadModule } from './load-module.ts'
import type { LoadRequest } from './module-loader.ts'
import { isPlainProcess } from './node-options.ts'
import { FOLLOWS, type FromChild, isToChild } from './protocol.ts'
import { loadQuickly, warmUp } from './quick-loading.ts'
import { resolveImportsOf } from './resolver.ts'

const [, , token = '', root = '', parent = '', ...flags] = process.argv
const send = process.send?.bind(process)
const exit = process.exit.bind(process)

function tell(message: FromChild): void {
  send?.(message)
}

/** A turn of the event loop: errors that a module left behind come out before the next module begins. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

const loaded: string[] = []
const identities = new AgentIdentities(token)

/** What was loaded since it was last told. */
function tellLoaded(): void {
  const files = loaded.splice(0)
  if (files.length > 0) tell({ token, type: 'loaded', files })
}

async function loadAll(requests: readonly LoadRequest[]): Promise<void> {
  for (const request of requests) {
    const { result } = await loadModule(root, request, identities)
    await turn()
    tellLoaded()
    tell({ token, type: 'result', result })
  }
}

function stray(error: unknown): void {
  tell({ token, type: 'stray', failure: failureOf(error, root) })
}

/**
 * Keeps what was compiled for the next process, where it can: it ends whatever comes of that. Nothing else that the modules began is heard
 * of any more, as if it had been killed.
 */
function end(): never {
  try {
    tell({ token, type: 'ending' })
    closeOutputs()
    flushCompileCache()
  } finally {
    process.kill(process.pid, 'SIGKILL')
  }
  return exit()
}

/** Whoever reads what the command prints need not wait for what is done after it. */
function closeOutputs(): void {
  for (const output of [1, 2]) {
    try {
      closeSync(output)
    } catch {
      // A module has closed it before.
    }
  }
}

/** Says who ends the process, while that is still known; then it ends. */
function exitLoudly(code?: number | string | null): never {
  const { at } = failureOf(new Error('exit'), root)
  tellLoaded()
  const message = `process.exit(${code ?? ''}) was called while it loaded`
  tell({
    token,
    type: 'exit',
    failure: at === undefined ? { kind: 'exited', message } : { kind: 'exited', message, at },
  })
  return exit(code)
}

// A rejection that nobody handles comes out here as well.
process.on('uncaughtException', stray)
process.on('disconnect', () => exit())
endWithParent(Number(parent))
let isAsked = false
process.on('message', (message) => {
  if (!isToChild(message) || message.token !== token) return
  if (message.type === 'end') end()
  isAsked = true
  void loadAll(message.requests)
})
process.exit = exitLoudly
// A module that looks for a parent to talk to shall find none: the channel is not its own.
delete process.send
const { href } = pathToFileURL(`${root}/`)
resolveImportsOf(href)
if (isPlainProcess()) loadQuickly(root, href)
if (flags.includes(FOLLOWS)) followLoading(root, (path) => loaded.push(path))
tell({ token, type: 'ready' })
// The parent still looks for agents: the time is there.
setImmediate(() => {
  if (!isAsked) void warmUp().catch(() => {})
})
