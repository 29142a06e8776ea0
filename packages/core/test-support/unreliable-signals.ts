import { LocalSignals } from '../src/background/signals.ts'
import type { Random } from './random.ts'

/** How signals go wrong: each of these is the share of them. */
export interface Trouble {
  readonly lost: number
  /** Come up to three times. */
  readonly doubled: number
  /** Come again, seconds later. */
  readonly late: number
}

/** Signals overtake each other within so many. */
const WINDOW = 10

/** How long one waits at most to be overtaken, in milliseconds. */
const FLUSH_MS = 20

/** From now on the signals of all processes go over one bus, which loses, doubles and reorders them. The returned function mends it. */
export function troubledSignals(random: Random, { lost, doubled, late }: Trouble): () => void {
  const { publish, subscribe } = LocalSignals.prototype
  const listeners = new Set<(taskId: string) => void>()
  const waiting: string[] = []
  const send = (taskId: string): void => {
    for (const listener of [...listeners]) listener(taskId)
  }
  const sendOne = (): void => {
    const [taskId] = waiting.splice(random.below(waiting.length), 1)
    if (taskId !== undefined) send(taskId)
  }
  LocalSignals.prototype.publish = (taskId) => {
    if (random.chance(lost)) return
    const copies = random.chance(doubled) ? random.between(2, 3) : 1
    for (let copy = 0; copy < copies; copy++) {
      waiting.push(taskId)
      if (waiting.length >= WINDOW) sendOne()
      else setTimeout(() => waiting.length > 0 && sendOne(), random.below(FLUSH_MS))
    }
    if (random.chance(late)) setTimeout(() => send(taskId), random.between(1_000, 30_000))
  }
  LocalSignals.prototype.subscribe = (listener) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return () => {
    LocalSignals.prototype.publish = publish
    LocalSignals.prototype.subscribe = subscribe
  }
}
