import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { packageOf } from '@retinue/core'

/** The template ships with the package, beside its sources and beside what is built of them. */
const TEMPLATE = fileURLToPath(new URL('../../template/', import.meta.url))

/** What every file of the template ends with: so that no tool takes it for a part of this package. */
const SUFFIX = '.template'

/** Files that npm would leave out, or that other tools would take for their own. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['gitignore', '.gitignore'],
  ['env.example', '.env.example'],
])

export interface TemplateValues {
  /** What the project is called. */
  readonly name: string
  /** `provider/model`, for every agent. */
  readonly model: string
  /** The version of this command line: the packages of the project are of the same. */
  readonly version: string
  /** The variables that the model's key is in. */
  readonly keys: readonly string[]
}

/** The versions of the packages that are not ours. */
const VERSIONS = {
  zod: '^4.0.0',
  typescript: '^7.0.0',
  '@types/node': '^24.0.0',
  provider: '^4.0.0',
  compatible: '^3.0.0',
} as const

/** The files of a new project, by path. */
export function templateFiles(values: TemplateValues): ReadonlyMap<string, string> {
  const filled = replacements(values)
  const names = readdirSync(TEMPLATE, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(SUFFIX))
  return new Map(
    names.sort().map((name) => {
      const path = name.slice(0, -SUFFIX.length).replaceAll('\\', '/')
      const text = readFileSync(`${TEMPLATE}/${name}`, 'utf8')
      return [RENAMED.get(path) ?? path, text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => filled[key] ?? '')]
    }),
  )
}

function replacements({ name, model, version, keys }: TemplateValues): Readonly<Record<string, string>> {
  const provider = packageOf(model.slice(0, model.indexOf('/')))
  const range = provider === '@ai-sdk/openai-compatible' ? VERSIONS.compatible : VERSIONS.provider
  const dependencies = {
    ...(provider === undefined ? {} : { [provider]: range }),
    '@retinue/core': version,
    zod: VERSIONS.zod,
  }
  const devDependencies = { '@types/node': VERSIONS['@types/node'], retinue: version, typescript: VERSIONS.typescript }
  return {
    name,
    model,
    dependencies: inManifest(dependencies),
    devDependencies: inManifest(devDependencies),
    keys: keys.map((key) => `${key}=`).join('\n'),
  }
}

function inManifest(value: object): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')
}
