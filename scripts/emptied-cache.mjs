import { readdirSync, rmSync } from 'node:fs'

/** Tests have thousands of modules compiled that no later run has: what Node kept is let go when it is more than it is worth. */
const MOST_FILES = 20_000

/** Before any test runs. */
export default function setup({ config }) {
  const folder = config.env.NODE_COMPILE_CACHE
  try {
    if (readdirSync(folder, { recursive: true }).length > MOST_FILES) rmSync(folder, { recursive: true, force: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}
