import { isRelative } from '../discover/import-candidates.ts'
import type { SourceTree } from '../tree/source-tree.ts'
import { type Alias, tsconfigAliases } from './tsconfig-aliases.ts'

/** What to do about an import that found nothing. `message`: what Node said. */
export function missingImportFix(specifier: string, message: string, tree: SourceTree): string {
  if (isRelative(specifier)) return `correct the path "${specifier}", or add the file`
  if (specifier.startsWith('#'))
    return `let "imports" of the nearest package.json lead "${specifier}" to a file that is there, or correct the name`
  const alias = aliasOf(specifier, tree)
  if (alias !== undefined) return aliasFix(specifier, alias)
  if (/^[a-z]+:/.test(specifier)) return `correct "${specifier}": there is no such module`
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
  if (/\bnot defined by "exports"|^\S+ No "exports" main/.test(message))
    return `import what ${name} exports, or install a version of it that exports this`
  return `install the package (npm install ${name}), or correct its name`
}

function aliasFix(specifier: string, { pattern, target }: Alias): string {
  const heed = 'Node pays no heed to "paths" of a tsconfig'
  // The "imports" of a package.json lead to nothing outside its folder.
  if (target?.startsWith('../')) return `${heed}: import it by its relative path; what it means is in "${target}"`
  const rest = specifier.slice(pattern.replace(/\*.*$/, '').length)
  const isMany = pattern.includes('*')
  // Node looks for exactly the file that is named, and takes no name that begins with "#/".
  const name = isMany ? `#${rest || 'name'}` : `#${specifier.replace(/^[@~#/]+/, '')}`
  const key = isMany ? '#*' : name
  const file = isMany && !/\.\w+$/.test(name) ? `${name}.ts` : name
  const place = target === undefined ? (isMany ? './src/*' : './src/FILE.ts') : `./${target.replace(/^\.\//, '')}`
  const imports = `"imports": { "${key}": "${place}" }`
  return `${heed}: write ${imports} into package.json and import "${file}", or import it by its relative path`
}

/** What cannot be a package's name is an alias as well: a tsconfig may extend a package. */
function aliasOf(specifier: string, tree: SourceTree): Alias | undefined {
  const named = tsconfigAliases(tree).find(({ pattern }) => isMeant(specifier, pattern))
  if (named !== undefined) return named
  const prefix = /^(?:@|~)\/|^~/.exec(specifier)?.[0]
  return prefix === undefined ? undefined : { pattern: `${prefix}*`, target: undefined }
}

function isMeant(specifier: string, pattern: string): boolean {
  const [before = '', after] = pattern.split('*')
  if (after === undefined) return specifier === pattern
  // "*" alone is any package, too.
  return pattern !== '*' && specifier.startsWith(before) && specifier.endsWith(after)
}
