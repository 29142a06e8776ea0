import { type ErrorCode, isRetinueError, RetinueError } from '@retinue/core/errors'

/** What went wrong with which database; `place` is how people know it: `database '/path'`, or an address without its secrets. */
interface Explanation {
  readonly code: ErrorCode
  readonly message: (place: string) => string
  readonly hint: string
}

const EXPLANATIONS = {
  locked: {
    code: 'storage-locked',
    message: (place) =>
      `The ${place} is locked: another process has been writing to it for longer than this store waits.`,
    hint: 'Find the program that holds it (a shell or a viewer with an open transaction, a backup) and end it, or raise `lockTimeoutMs`; then call again.',
  },
  readOnly: {
    code: 'storage-read-only',
    message: (place) => `The ${place} can be read and not written.`,
    hint: 'Give this process the right to write to the file and to its folder (LibSQL keeps two more files beside it), or name another path.',
  },
  full: {
    code: 'storage-full',
    message: (place) => `There is no room left for the ${place}.`,
    hint: 'Free some space on that disk, or raise its quota; then call again.',
  },
  corrupt: {
    code: 'storage-corrupt',
    message: (place) => `The ${place} is damaged.`,
    hint: 'Restore it from a backup. What can still be read is saved by `sqlite3 broken.db .recover | sqlite3 mended.db`.',
  },
  notADatabase: {
    code: 'storage-not-a-database',
    message: (place) => `The ${place} is not one of LibSQL or SQLite, or it is encrypted.`,
    hint: 'Name another path, or move that file away: a new database is made where there is none.',
  },
  cannotOpen: {
    code: 'storage-cannot-open',
    message: (place) => `The ${place} can't be opened.`,
    hint: 'Check that the `url` is right, that its folder can be made and written, and, for a database elsewhere, that it can be reached and the `authToken` is good.',
  },
  disk: {
    code: 'storage-failed',
    message: (place) => `The disk failed while the ${place} was read or written.`,
    hint: 'Look at the disk and its messages in the system’s log; the cause has the code of the failure.',
  },
  other: {
    code: 'storage-failed',
    message: (place) => `A call to the ${place} failed.`,
    hint: 'The cause says why.',
  },
} as const satisfies Record<string, Explanation>

const BY_CODE: Readonly<Record<string, Explanation>> = {
  SQLITE_BUSY: EXPLANATIONS.locked,
  SQLITE_LOCKED: EXPLANATIONS.locked,
  SQLITE_READONLY: EXPLANATIONS.readOnly,
  SQLITE_FULL: EXPLANATIONS.full,
  SQLITE_CORRUPT: EXPLANATIONS.corrupt,
  SQLITE_NOTADB: EXPLANATIONS.notADatabase,
  SQLITE_CANTOPEN: EXPLANATIONS.cannotOpen,
  SQLITE_PERM: EXPLANATIONS.cannotOpen,
  SQLITE_AUTH: EXPLANATIONS.cannotOpen,
  SQLITE_IOERR: EXPLANATIONS.disk,
  // Of folders that can't be made, and of addresses.
  EACCES: EXPLANATIONS.cannotOpen,
  EPERM: EXPLANATIONS.cannotOpen,
  EEXIST: EXPLANATIONS.cannotOpen,
  ENOTDIR: EXPLANATIONS.cannotOpen,
  ENAMETOOLONG: EXPLANATIONS.cannotOpen,
  EROFS: EXPLANATIONS.readOnly,
  ENOSPC: EXPLANATIONS.full,
  EDQUOT: EXPLANATIONS.full,
  URL_INVALID: EXPLANATIONS.cannotOpen,
  URL_SCHEME_NOT_SUPPORTED: EXPLANATIONS.cannotOpen,
  URL_PARAM_NOT_SUPPORTED: EXPLANATIONS.cannotOpen,
}

/** The typed error of whatever the database threw, which is its cause. */
export function databaseError(error: unknown, place: string): RetinueError {
  if (isRetinueError(error)) return error
  const { code, message, hint } = explain(error)
  return new RetinueError({
    code,
    message: message(place),
    hint,
    data: { place, cause: errorCode(error) },
    cause: error,
  })
}

function explain(error: unknown): Explanation {
  const explanation = BY_CODE[errorCode(error) ?? '']
  if (explanation) return explanation
  // The driver has no code for a file that it can't open, and none for a server that refuses.
  const message = error instanceof Error ? error.message : ''
  return /unable to open|ConnectionFailed|\b40[13]\b|fetch failed|cannot be constructed from a URL/i.test(message)
    ? EXPLANATIONS.cannotOpen
    : EXPLANATIONS.other
}

/** `SQLITE_BUSY`, say: the code without its extension. */
export function errorCode(error: unknown): string | undefined {
  const code: unknown = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}
