import { settingsProblems } from '../workspace/settings-problems.ts'
import { workspaceToolNames } from '../workspace/tool-names.ts'
import type { ModuleFact } from './facts.ts'
import { optionsRefusals } from './refusal.ts'
import { isPlainRecord, isRecord, kindOfValue } from './value-kind.ts'

/** What rules need to know of the `workspace.ts` in the directory `dirName`; `undefined` if its default export can't be one. */
export function describeWorkspace(dirName: string, value: unknown): ModuleFact | undefined {
  if (isMadeWorkspace(value)) {
    const problems = optionsRefusals(dirName, { workspace: value }).map(
      ({ message, hint = 'correct the workspace' }) => {
        return { path: [], message, fix: hint }
      },
    )
    return {
      kind: 'workspace',
      isMade: true,
      tools: Object.keys(value.tools),
      root: undefined,
      readOnly: false,
      problems,
    }
  }
  if (!isPlainRecord(value) || kindOfValue(value) !== 'object') return undefined
  const problems = settingsProblems(value)
  // With wrong settings it is not known what the author wanted.
  const tools = problems.length === 0 ? workspaceToolNames(value) : []
  const root = typeof value['root'] === 'string' ? value['root'] : undefined
  return { kind: 'workspace', isMade: false, tools, root, readOnly: value['readOnly'] === true, problems }
}

/** A whole workspace, with tools of its own; settings are made into one. */
function isMadeWorkspace(value: unknown): value is { id: string; tools: Record<string, unknown> } {
  return isRecord(value) && typeof value['id'] === 'string' && isRecord(value['tools'])
}
