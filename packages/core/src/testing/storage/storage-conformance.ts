import { approvalCases } from './approval-cases.ts'
import { eventCases } from './event-cases.ts'
import { isolationCases } from './isolation-cases.ts'
import { messageCases } from './message-cases.ts'
import { runCases } from './run-cases.ts'
import { searchCases } from './search-cases.ts'
import type { StorageCase } from './storage-case.ts'
import { taskCases } from './task-cases.ts'
import { taskDeliveryCases } from './task-delivery-cases.ts'
import { taskMessageCases } from './task-message-cases.ts'
import { taskValueCases } from './task-value-cases.ts'
import { threadCases } from './thread-cases.ts'
import { turnCases } from './turn-cases.ts'
import { valueCases } from './value-cases.ts'
import { workingMemoryCases } from './working-memory-cases.ts'

/**
 * What every implementation of `Storage` must do, for any test runner:
 * `for (const { name, run } of storageConformance) test(name, () => run(() => new MyStorage()))`.
 */
export const storageConformance: readonly StorageCase[] = [
  ...threadCases,
  ...messageCases,
  ...turnCases,
  ...isolationCases,
  ...searchCases,
  ...workingMemoryCases,
  ...valueCases,
  ...runCases,
  ...approvalCases,
  ...taskCases,
  ...taskDeliveryCases,
  ...taskMessageCases,
  ...taskValueCases,
  ...eventCases,
]
