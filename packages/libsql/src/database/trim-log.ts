import { statSync } from 'node:fs'
import type { Client } from '@libsql/client'

/** How long the log beside the file may get, in bytes, before it is put back. */
const LONG_LOG = 8_000_000

/**
 * Puts the log into the file and begins it anew if it has become long. One process alone needs no help; where several write all the
 * time, nobody ever finds the moment to begin it anew: it grows, and each commit tries in vain. Fails silently: the next time will do.
 */
export async function trimLog(client: Client, path: string): Promise<void> {
  try {
    if (statSync(`${path}-wal`).size > LONG_LOG) await client.executeMultiple('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // Somebody reads or writes just now, or there is no log.
  }
}
