/** What a version of the project runs is compiled once, and kept for the next one: Node must know before the first of it is loaded. */
import { enableCompileCache } from 'node:module'

const [, , , compiled] = process.argv
if (compiled !== undefined) enableCompileCache(compiled)
await import('./run-generation.ts')
