import { FILE_START } from '../discover/line-index.ts'
import type { FailedModule } from '../load/load-tree.ts'
import type { Mistake } from '../load/module-loader.ts'
import { missingImportFix } from './missing-imports.ts'
import type { Place, Rule, RuleContext } from './rule.ts'

/** B11.11: user code that throws, exits or imports what is not there is a finding like another. */
export const moduleFailed: Rule = {
  code: 'module-failed',
  severity: 'error',
  why: 'an agent can only be made of modules that load',
  *check(context) {
    for (const failed of context.loaded.failures) {
      const { file, agentPath, failure } = failed
      if (failure.kind === 'timeout') continue
      yield {
        message: `"${file}" could not be loaded: ${failure.message}`,
        place: placeOf(context, failed),
        agentPath,
        fix: fixOf(context, failed),
      }
    }
  },
}

function placeOf({ discovered }: RuleContext, { file, failure }: FailedModule): Place {
  const { at, missing } = failure
  if (missing !== undefined) {
    const imports = discovered.modules.shape(missing.importer)?.imports
    const found = imports?.find(({ specifier }) => specifier === missing.specifier)
    return { file: missing.importer, at: found?.at ?? FILE_START }
  }
  return at === undefined
    ? { file, at: FILE_START }
    : { file: at.file, at: { line: at.line, column: at.column, length: 1 } }
}

function fixOf({ discovered }: RuleContext, { failure }: FailedModule): string {
  const { kind, missing, mistake, hint, message } = failure
  if (hint !== undefined) return hint
  if (missing !== undefined) return missingImportFix(missing.specifier, message, discovered.tree)
  if (kind === 'exited') return 'a module must not end the process: do the work in a tool, or throw'
  return mistake === undefined ? FIX : FIXES[mistake]
}

const FIX = 'make the module load without an error; what needs a key or a service belongs into a tool'

const FIXES: Readonly<Record<Mistake, string>> = {
  'common-js': 'write "type": "module" into package.json',
  'export-missing': 'import a name that the other module exports, or export it there',
  'types-needed': 'write it in TypeScript whose types can be left out: no enum, namespace or parameter property',
}
