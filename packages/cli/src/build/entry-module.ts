import { modulesOf, type ProjectBlueprint } from '@retinue/project'

/** What the bundler is told to begin with; it is no file. */
export const ENTRY = 'retinue:entry'

/** What the project is made of: the module that the bundler waits for, while it reads the rest. */
export const PROJECT = 'retinue:project'

/** Before the path of a file of the project, in a specifier. */
export const FILE = 'retinue:file/'

/** The modules of this command line that the entry imports, by the names that it imports them by: as package.json calls them. */
export const RUNTIME = {
  'retinue:start-output': '#start-output',
  'retinue:default-storage': '#default-storage',
} as const

/** The text of the module that a build begins with: the same for every project. */
export const ENTRY_TEXT: string = `import { startOutput } from 'retinue:start-output'
import project from '${PROJECT}'
export function main(options) {
  return startOutput({ ...project, here: import.meta.url, ...options })
}
`

/** The text of the module that imports what the project is made of. Nothing in it says where the project stands. */
export function projectModule(blueprint: ProjectBlueprint): string {
  const files = modulesOf(blueprint)
  const index = blueprint.shared.find(({ slot }) => slot === 'index')?.file
  const hasStorage = blueprint.shared.some(({ slot }) => slot === 'storage')
  const values = files.map(
    (file, at) => `[${JSON.stringify(file)}, ${file === index ? `applicationOf(m${at})` : `m${at}`}]`,
  )
  const lines = [
    `import { applicationOf } from 'retinue:start-output'`,
    // A project with a storage of its own need not carry another one's driver.
    ...(hasStorage ? [] : [`import { defaultStorage } from 'retinue:default-storage'`]),
    ...files.map(
      (file, at) => `import ${file === index ? `* as m${at}` : `m${at}`} from ${JSON.stringify(FILE + file)}`,
    ),
    `const blueprint = ${inScript(JSON.stringify(blueprint, null, 1))}`,
    `const values = new Map([${values.join(', ')}])`,
    `export default { blueprint, values${hasStorage ? '' : ', defaultStorage'} }`,
  ]
  return `${lines.join('\n')}\n`
}

/** JSON as it may stand in a script: a key `__proto__` in it would set a prototype. */
function inScript(json: string): string {
  return `JSON.parse(${JSON.stringify(json)})`
}
