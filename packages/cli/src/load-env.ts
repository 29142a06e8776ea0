import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/**
 * Puts the variables of `.env.local`, `.env.<mode>` and `.env` into the process's environment. What is set already stays, and an
 * earlier file wins over a later one. Values are never printed.
 */
export function loadEnvFiles(directory: string, mode: string = process.env['NODE_ENV'] || 'development'): void {
  for (const name of ['.env.local', `.env.${mode}`, '.env']) {
    const text = readIfThere(join(directory, name))
    if (text === undefined) continue
    for (const [key, value] of Object.entries(parseEnv(text))) {
      if (value !== undefined) process.env[key] ??= value
    }
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
