import { appAmbiguous } from './app-ambiguous.ts'
import { appEmpty } from './app-empty.ts'
import { appMissing } from './app-missing.ts'
import { codedSubagentDescriptionMissing } from './coded-subagent-description-missing.ts'
import { configInvalid } from './config-invalid.ts'
import { defaultExportInvalid } from './default-export-invalid.ts'
import { entryIgnored } from './entry-ignored.ts'
import { fileUnreadable } from './file-unreadable.ts'
import { filesIgnoredByAgent } from './files-ignored-by-agent.ts'
import { frontmatterInvalid } from './frontmatter-invalid.ts'
import { hookExportIgnored } from './hook-export-ignored.ts'
import { hooksInvalid } from './hooks-invalid.ts'
import { hooksUnused } from './hooks-unused.ts'
import { instructionsEmpty } from './instructions-empty.ts'
import { instructionsMissing } from './instructions-missing.ts'
import { loadTimeout } from './load-timeout.ts'
import { modelInvalid } from './model-invalid.ts'
import { modelMissing } from './model-missing.ts'
import { modelProviderUnknown } from './model-provider-unknown.ts'
import { moduleFailed } from './module-failed.ts'
import { nameInvalid } from './name-invalid.ts'
import type { Rule } from './rule.ts'
import { slotUnsupported } from './slot-unsupported.ts'
import { sourceOverridden } from './source-overridden.ts'
import { subagentDescriptionMissing } from './subagent-description-missing.ts'
import { subagentDuplicate } from './subagent-duplicate.ts'
import { subagentOverridden } from './subagent-overridden.ts'
import { subagentToolCollision } from './subagent-tool-collision.ts'
import { subagentsIgnored } from './subagents-ignored.ts'
import { subagentsTooDeep } from './subagents-too-deep.ts'
import { syntaxError } from './syntax-error.ts'
import { toolCollision } from './tool-collision.ts'
import { toolDuplicate } from './tool-duplicate.ts'
import { toolInvalid } from './tool-invalid.ts'

/** Every rule of `check`. Their order means nothing: findings are sorted by their places. */
export const RULES: readonly Rule[] = [
  appAmbiguous,
  appEmpty,
  appMissing,
  codedSubagentDescriptionMissing,
  configInvalid,
  defaultExportInvalid,
  entryIgnored,
  fileUnreadable,
  filesIgnoredByAgent,
  frontmatterInvalid,
  hookExportIgnored,
  hooksInvalid,
  hooksUnused,
  instructionsEmpty,
  instructionsMissing,
  loadTimeout,
  modelInvalid,
  modelMissing,
  modelProviderUnknown,
  moduleFailed,
  nameInvalid,
  slotUnsupported,
  sourceOverridden,
  subagentDescriptionMissing,
  subagentDuplicate,
  subagentOverridden,
  subagentToolCollision,
  subagentsIgnored,
  subagentsTooDeep,
  syntaxError,
  toolCollision,
  toolDuplicate,
  toolInvalid,
]
