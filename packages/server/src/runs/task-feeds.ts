import type { Chunk } from '@retinue/core/agent'
import { RunLog } from './run-log.ts'
import { wireChunk } from './wire-chunk.ts'

/** Feeds that nobody reads are kept so long for readers that come back, and so many of them. */
const KEPT_MS = 300_000
const KEPT_FEEDS = 200
/** About how many characters all of them hold, before those that nobody reads are let go. */
const KEPT_SIZE = 64_000_000

/** What a task tells, from when it was first read on. */
export interface TaskFeed {
  readonly log: RunLog
}

interface Feed extends TaskFeed {
  readonly ending: AbortController
  readers: number
  forgetTimer: ReturnType<typeof setTimeout> | undefined
}

/**
 * What background tasks tell, each watched once for all its readers and on while they are away, so that a reader that lost its connection
 * goes on where it was.
 */
export class TaskFeeds {
  readonly #watch: (taskId: string, signal: AbortSignal) => AsyncIterable<Chunk>
  readonly #warn: (code: string, thrown: unknown) => void
  readonly #feeds = new Map<string, Feed>()

  constructor(
    watch: (taskId: string, signal: AbortSignal) => AsyncIterable<Chunk>,
    warn: (code: string, thrown: unknown) => void,
  ) {
    this.#watch = watch
    this.#warn = warn
  }

  /** The feed of a task that was read before, as long as it is kept. */
  get(taskId: string): TaskFeed | undefined {
    return this.#feeds.get(taskId)
  }

  /** A reader has come: the feed, and what is to be called when it leaves. */
  join(taskId: string): { readonly feed: TaskFeed; leave(): void } {
    const feed = this.#feeds.get(taskId) ?? this.#begin(taskId)
    feed.readers += 1
    clearTimeout(feed.forgetTimer)
    let hasLeft = false
    const leave = (): void => {
      if (hasLeft) return
      hasLeft = true
      feed.readers -= 1
      if (feed.readers === 0) this.#forgetLater(taskId, feed)
    }
    return { feed, leave }
  }

  /** How many feeds are kept. */
  get size(): number {
    return this.#feeds.size
  }

  /** Watches nothing any more. */
  close(): void {
    for (const [taskId, feed] of this.#feeds) this.#forget(taskId, feed)
  }

  #begin(taskId: string): Feed {
    this.#makeRoom()
    const feed: Feed = {
      log: new RunLog(),
      ending: new AbortController(),
      readers: 0,
      forgetTimer: undefined,
    }
    this.#feeds.set(taskId, feed)
    feed.log.beginLeg(Date.now())
    void this.#read(taskId, feed)
    return feed
  }

  async #read(taskId: string, feed: Feed): Promise<void> {
    try {
      for await (const chunk of this.#watch(taskId, feed.ending.signal)) {
        if (feed.ending.signal.aborted) break
        feed.log.append(wireChunk(chunk))
      }
    } catch (thrown) {
      // Its readers come back, and are told what there is then.
      if (!feed.ending.signal.aborted) this.#warn('events-not-read', thrown)
      this.#feeds.delete(taskId)
    } finally {
      feed.log.endLeg()
    }
  }

  #forgetLater(taskId: string, feed: Feed): void {
    if (this.#feeds.get(taskId) !== feed) return
    feed.forgetTimer = setTimeout(() => this.#forget(taskId, feed), KEPT_MS)
    // A process need not stay for that.
    const timer = feed.forgetTimer as { unref?: () => void }
    timer.unref?.()
  }

  #forget(taskId: string, feed: Feed): void {
    clearTimeout(feed.forgetTimer)
    if (this.#feeds.get(taskId) === feed) this.#feeds.delete(taskId)
    feed.ending.abort()
  }

  #makeRoom(): void {
    let size = 0
    for (const { log } of this.#feeds.values()) size += log.size
    for (const [taskId, feed] of this.#feeds) {
      if (this.#feeds.size < KEPT_FEEDS && size < KEPT_SIZE) return
      if (feed.readers > 0) continue
      size -= feed.log.size
      this.#forget(taskId, feed)
    }
  }
}
