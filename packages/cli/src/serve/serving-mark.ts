import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Says which build of an output this process runs, beside what its agents keep: the next build leaves that one alone, so that what runs can
 * still load a part of it or read a file. Where nothing can be written nobody builds either. The returned function takes it back; of a
 * process that was killed the mark is removed by who next looks. `root`: where the output keeps what its agents write.
 */
export function markServing(root: string, build: string): () => void {
  const file = join(marksOf(root), String(process.pid))
  try {
    mkdirSync(marksOf(root), { recursive: true })
    writeFileSync(file, build)
  } catch {
    return () => {}
  }
  return () => rmSync(file, { force: true })
}

/** The builds that processes run which keep their things below a root, by their paths. */
export function buildsServed(root: string): ReadonlySet<string> {
  const marks = marksOf(root)
  const served = new Set<string>()
  for (const name of namesIn(marks)) {
    const file = join(marks, name)
    if (isAlive(Number(name))) served.add(readFileSync(file, 'utf8'))
    else rmSync(file, { force: true })
  }
  return served
}

function marksOf(root: string): string {
  return join(root, '.retinue/data/serving')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[1-9]\d*$/.test(name))
  } catch {
    return []
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
