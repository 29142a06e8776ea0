/** What `loading-process` runs is compiled once, and kept for the next process: Node must know before the first of it is loaded. */
import { enableCompileCache } from 'node:module'

enableCompileCache()
await import('./loading-process.ts')
