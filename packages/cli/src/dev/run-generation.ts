/**
 * One version of the project, in a process of its own: it loads the folder once, serves the connections that it is given, and ends when
 * another version has taken over and what it began has ended. So nothing of an old version is left in a new one.
 */
import { flushCompileCache } from 'node:module'
import type { Socket } from 'node:net'
import { Retinue } from '@retinue/core'
import { InMemoryStorage, type Storage } from '@retinue/core/storage'
import { endWithParent, type OpenedProject, openProject, prepareOpening } from '@retinue/project'
import { ScheduleRunner } from '@retinue/project/runtime'
import type { ServerSettings } from '@retinue/server'
import { type ConnectionServer, serveConnections } from '@retinue/server/node'
import { loadEnvFiles } from '../load-env.ts'
import { agentModels } from '../run/agent-models.ts'
import { modelChooser } from '../run/choose-model.ts'
import { defaultMemory } from '../run/default-memory.ts'
import { defaultStorage, LOCAL_RESOURCE } from '../run/default-storage.ts'
import { modelNameOf } from '../run/model-name.ts'
import { watchStrayErrors } from '../run/stray-errors.ts'
import { portOf } from '../serve/port.ts'
import { problemText } from '../serve/problem-text.ts'
import { scheduleText } from '../serve/schedule-text.ts'
import { settingsOf } from '../serve/server-settings.ts'
import { devRoutes } from './dev-routes.ts'
import type { DevState, FromGeneration, LoadOrder, ToGeneration, TreeLine, WantedPlace } from './protocol.ts'
import { FOREVER_MS, VersionSchedules } from './version-schedules.ts'

const err = (text: string): boolean => process.stderr.write(text)
const { fatal, finished } = watchStrayErrors(err, 'What had begun may end; nothing new begins in this version.')
const waiting: Socket[] = []
let state: DevState = { generation: 0, status: 'ok', findings: [] }
let server: ConnectionServer | undefined
let schedules: VersionSchedules | undefined
let isLive = false
let closeProject = async (): Promise<void> => {}

function tell(message: FromGeneration): void {
  if (message.type === 'live') isLive = true
  if (process.connected) process.send?.(message)
}

/**
 * The process is there before it is needed: what most projects need is no part of a reload. What fails here fails again where it is told.
 */
async function warmUp(): Promise<void> {
  const { LibSQLStore } = await import('@retinue/libsql')
  const store = new LibSQLStore({ id: 'warm-up', url: ':memory:' })
  await Promise.all([prepareOpening(), store.threads.list({ resourceId: LOCAL_RESOURCE, limit: 1 })])
  await store.close()
}

async function load(order: LoadOrder): Promise<void> {
  const { path, dir, generation, serveFindings, only } = order
  // The folder that it was started in may have been moved since, with another one in its place.
  if (only === undefined) process.chdir(path)
  loadEnvFiles(path)
  if (only !== undefined) {
    state = only
    return serveOnlyFindings(order)
  }
  const opened = await openProject(path, {
    types: true,
    onFile: (path) => tell({ type: 'file', path }),
    defaults: {
      memory,
      storage: async () => (ownStorage = await defaultStorage(path, err)),
    },
    ...(dir === undefined ? {} : { dir }),
  })
  const { check, files } = opened
  const isGood = check.errors === 0
  state = {
    generation: isGood ? generation : 0,
    status: isGood ? 'ok' : 'broken',
    findings: check.findings,
  }
  tell({ type: 'examined', check, files: files() })
  if (opened.open !== undefined) await serve(opened.open, order)
  else if (serveFindings) await serveOnlyFindings(order)
  // Most of a project is the same in the version after this one.
  flushCompileCache()
}

const memory = defaultMemory()
let ownStorage: Storage | undefined

async function serve(open: NonNullable<OpenedProject['open']>, order: LoadOrder): Promise<void> {
  const { model, path } = order
  // A slip that `.env` brings: every run would fail for it.
  if (model === undefined) modelNameOf(process.env['RETINUE_MODEL'], 'RETINUE_MODEL')
  const project = await open()
  closeProject = async () => {
    await memory.settled()
    await project.close().finally(() => ownStorage?.close())
  }
  const resolveModel = modelChooser(model, process.env, path)
  schedules = new VersionSchedules(
    () =>
      new ScheduleRunner({
        app: project.app,
        schedules: project.schedules,
        resolveModel,
        tell: (event) => err(scheduleText(event)),
      }),
  )
  const own = settingsOf(project.server)
  const place = placeOf(order, own)
  // Whom it is open to depends on where it is reached.
  const settings = place.host === undefined ? own : { ...own, host: place.host }
  await listen(project.app, settings, resolveModel)
  await schedules.current.start()
  const lines = await Promise.all(Object.values(project.agents).map((agent) => agentModels(agent, resolveModel)))
  const tree = lines.flat().map(({ key, depth, use }): TreeLine => {
    return { key, depth, requested: use?.requested ?? 'a function', used: use?.used ?? 'a function' }
  })
  tell({ type: 'live', place, tree })
}

/** Nothing can be served yet but what is wrong: to others than this machine only with the token, as `server.ts` may not be read. */
async function serveOnlyFindings(order: LoadOrder): Promise<void> {
  const app = new Retinue({ agents: {}, storage: new InMemoryStorage({ id: 'findings' }) })
  const settings = settingsOf(undefined)
  const { port, host } = placeOf(order, settings)
  const place = { port, host: settings.token === undefined ? undefined : host }
  await listen(app, { ...settings, ...(place.host === undefined ? {} : { host: place.host }) })
  tell({ type: 'live', place, tree: [] })
}

async function listen(
  app: Retinue,
  settings: ServerSettings,
  resolveModel?: ReturnType<typeof modelChooser>,
): Promise<void> {
  const routes = devRoutes({ settings, state: () => state, schedules: () => schedules?.current })
  server = await serveConnections({
    app,
    settings: { ...settings, shutdownMs: FOREVER_MS, middleware: [routes, ...(settings.middleware ?? [])] },
    resolveModel,
  })
  for (const socket of waiting.splice(0)) server.take(socket)
}

/** A flag goes before a variable, and that before `server.ts`. */
function placeOf({ port, host }: LoadOrder, settings: ServerSettings): WantedPlace {
  return {
    port: port ?? portOf(process.env['PORT'], 'PORT') ?? settings.port,
    host: host ?? (process.env['HOST'] || settings.host),
  }
}

/** It served before, and does again. */
async function resume(): Promise<void> {
  await schedules?.resume()
}

let isRetiring = false

async function retire(schedulesMs: number = FOREVER_MS): Promise<void> {
  const stopped = schedules?.stop(schedulesMs)
  // Told again, it is only in more of a hurry.
  if (isRetiring) return stopped
  isRetiring = true
  await Promise.all([stopped, server?.close()])
  await closeProject()
  end(0)
}

function end(code: number): never {
  finished()
  process.exit(code)
}

function failed(error: unknown): void {
  tell({ type: 'failed', problem: problemText(error) })
}

process.on('message', (message: ToGeneration, socket?: Socket) => {
  switch (message.type) {
    case 'load':
      return void load(message.order).catch(failed)
    case 'state':
      state = message.state
      return
    case 'rest':
      schedules?.rest()
      return
    case 'resume':
      state = message.state
      return void resume().catch((error: unknown) => err(problemText(error)))
    case 'connection':
      if (socket === undefined) return
      if (server === undefined) waiting.push(socket)
      else server.take(socket)
      return
    case 'retire':
      return void retire(message.schedulesMs).catch((error: unknown) => {
        err(`${error}\n`)
        end(1)
      })
  }
})
// Ctrl-C reaches every process at the terminal: when this one ends, the first one says.
process.on('SIGINT', () => {})
process.on('disconnect', () => end(0))
warmUp().catch(() => {})
endWithParent(Number(process.argv[2]))
fatal.catch((error: unknown) => {
  // Runs of others go on in it: whoever watches over it decides when it ends.
  if (isLive) return tell({ type: 'stray', problem: problemText(error) })
  failed(error)
  end(1)
})
