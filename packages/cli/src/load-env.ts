import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { UsageError } from './usage-error.ts'

/**
 * Puts the variables of `.env.local`, `.env.<mode>` and `.env` into the process's environment. What is set already stays, and an
 * earlier file wins over a later one. Values are never printed. Throws `UsageError` where one is there and can't be read.
 */
export function loadEnvFiles(directory: string, mode: string = process.env['NODE_ENV'] || 'development'): void {
  for (const name of ['.env.local', `.env.${mode}`, '.env']) {
    const text = readIfThere(directory, name)
    if (text === undefined) continue
    for (const [key, value] of Object.entries(parseEnv(text))) {
      if (value !== undefined) process.env[key] ??= value
    }
  }
}

function readIfThere(directory: string, name: string): string | undefined {
  try {
    return readFileSync(join(directory, name), 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    const why = code === 'EISDIR' ? 'it is a folder' : `the system says ${code}`
    throw new UsageError(`"${name}" in "${directory}" can't be read: ${why}`)
  }
}
