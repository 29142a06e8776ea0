import { readFileSync } from 'node:fs'

/** Whether a process is there, and has not ended. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  // What has ended is counted until somebody asks how it ended.
  return process.platform !== 'linux' || !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}
