import { PACKED_INHERITED, withoutInherited } from '../background/inherited.ts'
import { type SavedContext, savedContext } from '../context/saved-context.ts'
import { RetinueError } from '../errors/retinue-error.ts'
import { PACKED_ENVELOPE } from '../events/packed-envelope.ts'
import type { Run } from '../loop/run.ts'
import { savedRun } from '../loop/save-run.ts'
import type { SavedRun } from '../loop/saved-run.ts'
import type { Message } from '../messages/message.ts'
import { type PackedJson, packJson, unpackJson } from '../shared/packed-json.ts'
import { isObject } from '../shared/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { SharedItems } from '../storage/tasks.ts'
import type { Value } from '../storage/values.ts'
import type { RunOptions } from './run-options.ts'
import { codeNames, savedOptions } from './saved-options.ts'
import { type LogPart, type TreeLog, wholeRun } from './tree-log.ts'

/**
 * Of what a store keeps of a tree. A number of its own for each form that was ever written: 2 has a log, 3 also of what the calls of the
 * last step brought.
 */
const FORMATS = { whole: 1, partlyLogged: 2, logged: 3 } as const

/** A tree of runs as a store keeps it. */
export interface SavedTree {
  readonly format: (typeof FORMATS)[keyof typeof FORMATS]
  /** The options of the call that are data. */
  readonly options: Readonly<Record<string, unknown>>
  /** The names of those that are code. */
  readonly code: readonly string[]
  /** Whether it was to survive crashes from its beginning, and is kept when it has ended. */
  readonly durable: boolean
  /** Runs of children begun. */
  readonly children: number
  readonly callIds: readonly (readonly [string, number])[]
  /** Another one each time that it is written. */
  readonly saveId: string
  readonly context: SavedContext
  readonly run: SavedRun
  /** Where the rest of it stands, if it is large. */
  readonly log?: LogPart
}

/** What of a tree JSON does not keep. */
const KINDS = [PACKED_ENVELOPE, PACKED_INHERITED]

/** A tree as it stands, in the form that is stored; `write`: what has to be written of its log before. */
export function packTree(
  run: Run,
  facts: { call: RunOptions; durable: boolean; saveId: string; inherited: readonly Message[] | undefined },
  log: TreeLog | undefined,
): { readonly body: Value; readonly write: SharedItems | undefined } {
  const { call, durable, saveId, inherited } = facts
  const { children, callIds } = run.root
  const whole = savedRun(run)
  const split = log?.split(whole, callIds)
  const tree: SavedTree = {
    format: split ? FORMATS.logged : FORMATS.whole,
    options: savedOptions(call),
    code: codeNames(call),
    durable,
    children,
    callIds: split ? [] : [...callIds],
    saveId,
    context: savedContext(run.requestContext),
    run: withoutInherited(split?.run ?? whole, inherited),
    ...(split ? { log: split.log } : {}),
  }
  // The store carries what JSON has no form for, bytes and URLs, in a form of its own.
  return { body: packJson(tree, KINDS) as unknown as Value, write: split?.write }
}

/** A tree with what stands in its log. */
export async function withLog(storage: Storage, runId: string, tree: SavedTree): Promise<SavedTree> {
  if (!tree.log) return tree
  const items = await storage.tasks.shared(tree.log)
  try {
    return { ...tree, ...wholeRun(tree.run, items) }
  } catch {
    throw unreadable(runId)
  }
}

/** The tree of a stored body. Throws `storage-row-unreadable` for what is none. */
export function unpackTree(runId: string, body: Value): SavedTree {
  const tree = unpacked(body)
  if (isTree(tree)) return tree
  throw unreadable(runId)
}

function unreadable(runId: string): RetinueError {
  return new RetinueError({
    code: 'storage-row-unreadable',
    message: `The stored run "${runId}" is in a form that this version of @retinue/core does not know.`,
    hint: 'Go on with it in the version that wrote it, or cancel it: cancelRun(runId).',
    data: { id: runId },
  })
}

function unpacked(body: unknown): unknown {
  if (!isPacked(body)) return undefined
  try {
    return unpackJson(body, KINDS)
  } catch {
    return undefined // A mark in it leads nowhere, or to itself.
  }
}

function isPacked(body: unknown): body is PackedJson {
  return isObject(body) && Array.isArray(body['texts']) && Array.isArray(body['shared']) && 'value' in body
}

/** Its outline is checked: a damaged one is told as such, and nothing of it runs. */
function isTree(tree: unknown): tree is SavedTree {
  if (!isObject(tree) || !Object.values(FORMATS).some((format) => format === tree['format'])) return false
  const { format, options, code, durable, children, callIds, saveId, context, run, log } = tree
  if ((format !== FORMATS.whole) !== isObject(log)) return false
  if (![options, context, run].every(isObject) || !Array.isArray(code) || !Array.isArray(callIds)) return false
  return typeof durable === 'boolean' && Number.isSafeInteger(children) && typeof saveId === 'string'
}
