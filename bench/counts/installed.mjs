import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * What `npm install` of one of our packages brings into an empty project: the packages by name, each with its bytes on disk. Our
 * own are as big as what would be published of them.
 */
export function installed(name) {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
  const sizes = new Map()
  const add = (dependency, from) => {
    const place = placeOf(dependency, from, lock)
    if (sizes.has(place)) return
    const entry = lock[place]
    sizes.set(place, entry.link ? packedBytes(entry.resolved) : bytesOnDisk(join(ROOT, place)))
    const { dependencies = {} } = entry.link ? lock[entry.resolved] : entry
    for (const needed of Object.keys(dependencies)) add(needed, entry.link ? entry.resolved : place)
  }
  add(name, '')
  return Object.fromEntries(sizes)
}

/** Where Node finds a dependency of the package at `from`: in its own folder, or in one of those above it. */
function placeOf(dependency, from, lock) {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$|^packages\/[^/]+$/, '')) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${dependency}`
    if (lock[place]) return place
    if (folder === '') throw new Error(`package-lock.json has no place for ${dependency}.`)
  }
}

function bytesOnDisk(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

function packedBytes(folder) {
  const stdio = ['ignore', 'pipe', 'ignore']
  // On Windows npm is a script, which only a shell can start.
  const options = { cwd: join(ROOT, folder), encoding: 'utf8', stdio, shell: process.platform === 'win32' }
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], options)
  return Object.values(JSON.parse(output))[0].unpackedSize
}
