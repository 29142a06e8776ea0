/** What `loading-process` runs is compiled once, and kept for the next process: Node must know before the first of it is loaded. */
import { enableCompileCache } from 'node:module'
import { COMPILED } from './protocol.ts'

const compiled = process.argv.find((argument) => argument.startsWith(COMPILED))
if (compiled !== undefined) enableCompileCache(compiled.slice(COMPILED.length))
await import('./loading-process.ts')
