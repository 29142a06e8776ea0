import { agentOverridden } from './agent-overridden.ts'
import { appAmbiguous } from './app-ambiguous.ts'
import { appEmpty } from './app-empty.ts'
import { appMissing } from './app-missing.ts'
import { backgroundTasksInvalid } from './background-tasks-invalid.ts'
import { backgroundTasksOff } from './background-tasks-off.ts'
import { backgroundToolUnknown } from './background-tool-unknown.ts'
import { codedSubagentDescriptionMissing } from './coded-subagent-description-missing.ts'
import { configInvalid } from './config-invalid.ts'
import { defaultExportInvalid } from './default-export-invalid.ts'
import { descriptionVague } from './description-vague.ts'
import { descriptionsAlike } from './descriptions-alike.ts'
import { entryIgnored } from './entry-ignored.ts'
import { fileUnreadable } from './file-unreadable.ts'
import { filesIgnoredByAgent } from './files-ignored-by-agent.ts'
import { frontmatterInvalid } from './frontmatter-invalid.ts'
import { hookExportIgnored } from './hook-export-ignored.ts'
import { hooksInvalid } from './hooks-invalid.ts'
import { hooksUnused } from './hooks-unused.ts'
import { instructionsEmpty } from './instructions-empty.ts'
import { instructionsMissing } from './instructions-missing.ts'
import { instructionsNameUnknown } from './instructions-name-unknown.ts'
import { loadTimeout } from './load-timeout.ts'
import { loggerInvalid } from './logger-invalid.ts'
import { memoryInvalid } from './memory-invalid.ts'
import { modelInvalid } from './model-invalid.ts'
import { modelMissing } from './model-missing.ts'
import { modelPackageMissing } from './model-package-missing.ts'
import { modelProviderUnknown } from './model-provider-unknown.ts'
import { moduleFailed } from './module-failed.ts'
import { moduleTypeMissing } from './module-type-missing.ts'
import { nameInvalid } from './name-invalid.ts'
import { processorInvalid } from './processor-invalid.ts'
import { processorMethodIgnored } from './processor-method-ignored.ts'
import { promptSecret } from './prompt-secret.ts'
import type { Rule } from './rule.ts'
import { scheduleInvalid } from './schedule-invalid.ts'
import { schedulesIgnored } from './schedules-ignored.ts'
import { scorerInvalid } from './scorer-invalid.ts'
import { serverInvalid } from './server-invalid.ts'
import { skillDuplicate } from './skill-duplicate.ts'
import { skillInvalid } from './skill-invalid.ts'
import { skillKeyUnknown } from './skill-key-unknown.ts'
import { skillNameDiffers } from './skill-name-differs.ts'
import { skillReferenceMissing } from './skill-reference-missing.ts'
import { slotUnsupported } from './slot-unsupported.ts'
import { sourceOverridden } from './source-overridden.ts'
import { storageInvalid } from './storage-invalid.ts'
import { subagentDescriptionMissing } from './subagent-description-missing.ts'
import { subagentDuplicate } from './subagent-duplicate.ts'
import { subagentOverridden } from './subagent-overridden.ts'
import { subagentToolCollision } from './subagent-tool-collision.ts'
import { subagentUnreachable } from './subagent-unreachable.ts'
import { subagentsIgnored } from './subagents-ignored.ts'
import { subagentsTooDeep } from './subagents-too-deep.ts'
import { syntaxError } from './syntax-error.ts'
import { toolCollision } from './tool-collision.ts'
import { toolDuplicate } from './tool-duplicate.ts'
import { toolInvalid } from './tool-invalid.ts'
import { workspaceInvalid } from './workspace-invalid.ts'
import { workspaceShared } from './workspace-shared.ts'

/** Every rule of `check`. Their order means nothing: findings are sorted by their places. */
export const RULES: readonly Rule[] = [
  agentOverridden,
  appAmbiguous,
  appEmpty,
  appMissing,
  backgroundTasksInvalid,
  backgroundTasksOff,
  backgroundToolUnknown,
  codedSubagentDescriptionMissing,
  configInvalid,
  defaultExportInvalid,
  descriptionVague,
  descriptionsAlike,
  entryIgnored,
  fileUnreadable,
  filesIgnoredByAgent,
  frontmatterInvalid,
  hookExportIgnored,
  hooksInvalid,
  hooksUnused,
  instructionsEmpty,
  instructionsMissing,
  instructionsNameUnknown,
  loadTimeout,
  loggerInvalid,
  memoryInvalid,
  modelInvalid,
  modelMissing,
  modelPackageMissing,
  modelProviderUnknown,
  moduleFailed,
  moduleTypeMissing,
  nameInvalid,
  promptSecret,
  processorInvalid,
  processorMethodIgnored,
  scheduleInvalid,
  schedulesIgnored,
  scorerInvalid,
  serverInvalid,
  skillDuplicate,
  skillInvalid,
  skillKeyUnknown,
  skillNameDiffers,
  skillReferenceMissing,
  slotUnsupported,
  sourceOverridden,
  storageInvalid,
  subagentDescriptionMissing,
  subagentDuplicate,
  subagentOverridden,
  subagentToolCollision,
  subagentUnreachable,
  subagentsIgnored,
  subagentsTooDeep,
  syntaxError,
  toolCollision,
  toolDuplicate,
  toolInvalid,
  workspaceInvalid,
  workspaceShared,
]
