/** Whose working memory: a thread's, if one is named, or that of everything the resource has. */
export interface WorkingMemoryKey {
  readonly resourceId: string
  readonly threadId?: string
}

export interface WorkingMemory {
  readonly text: string
  /** 1 when it was first written, and one more each time. */
  readonly version: number
  readonly updatedAt: number
}

export interface WorkingMemoryChange extends WorkingMemoryKey {
  readonly text: string
  /**
   * The version that the writer has read, 0 for none: if another is there by now nothing is written and the call fails with
   * `storage-conflict`. Left out, it writes whatever is there.
   */
  readonly expectedVersion?: number
  readonly at: number
}

/** Texts that agents keep. A thread that the resource does not have is `thread-not-found`. */
export interface WorkingMemoryStorage {
  /** Undefined if nothing was written yet. */
  get(key: WorkingMemoryKey): Promise<WorkingMemory | undefined>
  /** Writes the text and gives what is now there. To forget it, write `''`. */
  set(change: WorkingMemoryChange): Promise<WorkingMemory>
}
