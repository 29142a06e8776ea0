import { join, posix, win32 } from 'node:path'
import { type PathStyle, pathSteps } from '../../src/workspace/path-steps.ts'
import {
  fileOperations,
  guardedWorkspace,
  LINK_PATHS,
  type Operation,
  outcomeOf,
  SECRET,
  seedOperation,
  toolOperations,
} from '../guarded-workspace.ts'
import { assert, type Property, type Random } from '../property.ts'

const PIECES: readonly string[] = [
  ...['..', '..', '..', '.', '', 'a.txt', 'deep', 'b.txt', 'secret.txt', 'outside', 'new', 'new.txt', 'root'],
  ...['A.TXT', 'DEEP', 'ＤＥＥＰ', 'de\u0301ep', '~', '~root', '$HOME', '`id`', '$(id)', '-rf', '*', '?'],
  ...['%2e%2e', '%2E%2E', '%2e', '.%2e', '%252e%252e', '%c0%ae%c0%ae', '..%2f', '..%5c', '%00', '..;', '....', '...'],
  ...[
    '..\u200b',
    '\u200b..',
    '.\u200c.',
    '\u2024\u2024',
    '．．',
    '․․',
    '.. ',
    ' ..',
    '..\t',
    '..\n',
    '\r',
    '\0',
    '..\0',
  ],
  ...[
    'C:',
    'c:',
    'C:a.txt',
    'C:\\',
    'Z:\\..',
    '\\\\server\\share',
    '\\\\?\\C:\\',
    '\\\\.\\pipe\\x',
    'file:',
    'file://',
  ],
  ...['con', 'NUL', 'nul.txt', 'COM1', 'com¹', 'LPT9.txt', 'CONIN$', 'aux.', 'a.txt.', 'a.txt ', 'a.txt::$DATA', 'a:b'],
  ...['.~retinue-x', '.~RETINUE-y', '\ud800', 'é', '😀', 'x'.repeat(255), 'x'.repeat(300), '/etc/passwd', '/', '//'],
  ...['/proc/self/root', '/proc/self/cwd', '/proc/self/fd/0', '/dev/stdin', '/dev/fd/1', 'constructor', '__proto__'],
]

const SEPARATORS: readonly string[] = ['/', '/', '/', '/', '//', '/./', '\\', '\\\\', '%2f', '%5c', '∕', '⁄', '']

/** A path that might lead out, as often as not by way of a link that stands in the workspace. */
function hostilePath(random: Random, outside: string): string {
  const start = random.pick(['', '', '', '/', './', '../', `${outside}/`, `/${outside}`, random.pick(LINK_PATHS)])
  const count = random.below(6)
  const pieces = Array.from({ length: count }, () => random.pick(random.chance(0.3) ? LINK_PATHS : PIECES))
  const separator = random.pick(SEPARATORS)
  const path =
    start + pieces.map((piece) => `${piece}${random.chance(0.7) ? separator : random.pick(SEPARATORS)}`).join('')
  return random.chance(0.5) ? path.replace(/[/\\]+$/, '') : path
}

const WAYS: Readonly<Record<PathStyle, { readonly root: string; readonly path: typeof posix }>> = {
  linux: { root: '/w', path: posix },
  darwin: { root: '/w', path: posix },
  win32: { root: 'C:\\w', path: win32 },
}

/** Whatever a path is, by the rules of whichever system: it is refused, or it stays below the root. */
async function staysBelow(hostile: string, style: PathStyle): Promise<void> {
  const { code, told } = await outcomeOf(() => pathSteps(hostile, style))
  if (code !== 'done') return assert(code === 'workspace-path-refused', () => `${code} for ${JSON.stringify(hostile)}`)
  const { root, path } = WAYS[style]
  const steps = told as string[]
  const place = path.resolve(root, ...steps)
  const isBelow = place === root || place.startsWith(`${root}${path.sep}`)
  assert(isBelow, () => `${JSON.stringify(hostile)} leads to ${place} on ${style}`)
  const names = path.relative(root, place).split(path.sep)
  assert(
    steps.length === 0 || names.length === steps.length,
    () => `${JSON.stringify(hostile)} hides a folder on ${style}`,
  )
}

/** R14: each path of the seed with every operation, and with the rules of each system. */
export const workspacePaths: Property = {
  name: 'R14',
  unit: 'hostile paths × every operation',
  async check(random, tally) {
    using guarded = guardedWorkspace()
    const { root, outside } = guarded
    const path = hostilePath(random, outside)
    for (const style of Object.keys(WAYS) as PathStyle[]) await staysBelow(path, style)
    const seeding = { seeding: seedOperation(root, join(root, '../copy')) }
    const all: Readonly<Record<string, Operation>>[] = [fileOperations(root, true), toolOperations(root), seeding]
    if (process.platform === 'linux') all.push(fileOperations(root, false))
    for (const operations of all) {
      for (const [name, operation] of Object.entries(operations)) {
        const { code, told } = await outcomeOf(() => operation(path))
        tally(code)
        const breach = guarded.breach(told)
        assert(breach === undefined, () => `${name} of ${JSON.stringify(path)}: ${breach}`)
        if (code === 'done') guarded.plant()
      }
    }
    assert(SECRET.length > 1000, () => 'the size of the canary must be one that nothing else has')
  },
}
