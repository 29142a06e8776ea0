import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { AgentPlan } from '../plan.ts'
import { systemCode } from '../system-code.ts'
import { renderTypes } from './render-types.ts'

/** Where the file stands, relative to the project. */
const TYPES_FILE = '.retinue/types.d.ts'

/** Writes the file that tells types of a project's agents. One that says the same already is left as it is: editors watch it. */
export function writeTypes(root: string, plans: readonly AgentPlan[]): void {
  const file = join(root, TYPES_FILE)
  const text = renderTypes(plans, (path) => `../${path}`)
  // A project that went is not made again: its folder may just be put back.
  if (read(file) === text || !existsSync(root)) return
  try {
    mkdirSync(dirname(file), { recursive: true })
    // Whole or not at all, also where two checks run at once.
    const fresh = `${file}.${process.pid}`
    writeFileSync(fresh, text)
    renameSync(fresh, file)
  } catch (error) {
    // A tree that is only to be read, as in a container, can be checked and built all the same.
    if (!READ_ONLY.has(systemCode(error) ?? '')) throw error
  }
}

const READ_ONLY: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS'])

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
