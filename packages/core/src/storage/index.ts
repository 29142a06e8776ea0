export {
  type ApprovalMove,
  type ApprovalRow,
  approvalMove,
  approvalMoves,
  checkedApprovalQuery,
  type NewApprovalRow,
  newApprovalRows,
  storedApproval,
  storedApprovals,
} from './approval-row.ts'
export type {
  Approval,
  ApprovalChange,
  ApprovalKey,
  ApprovalQuery,
  ApprovalRequest,
  ApprovalStatus,
  ApprovalStorage,
  Decision,
} from './approvals.ts'
export { assertCount, assertId, assertKey, assertText, assertTime } from './checks.ts'
export { decodeValue, encodeValue, MAX_VALUE_LENGTH } from './encode-value.ts'
export { InMemoryStorage } from './in-memory-storage.ts'
export { InMemoryVectors } from './in-memory-vectors.ts'
export {
  type MessageRow,
  type NewMessageRow,
  newMessageRows,
  storedMessage,
  storedMessages,
} from './message-row.ts'
export type {
  AppendedMessages,
  FoundMessage,
  FoundMessages,
  MessageKey,
  MessagePage,
  MessageQuery,
  MessageSearch,
  MessageStorage,
  Messages,
  NeighbourQuery,
  NewMessage,
  StoredMessage,
} from './messages.ts'
export type { Page, PageRequest, UnreadableRow } from './page.ts'
export { RANKING } from './rank-by-terms.ts'
export { asText, decodedText, readRow, readRows } from './read-row.ts'
export {
  checkedEventsQuery,
  type EventPlace,
  type NewRunEvents,
  newRunEventsRow,
  type RunEvents,
  type RunEventsPage,
  type RunEventsQuery,
  type RunEventsRow,
  storedRunEvents,
} from './run-events.ts'
export { listsOfRun } from './run-lists.ts'
export {
  allRunFacts,
  assertLease,
  checkedRunQuery,
  type NewRunRow,
  newRunRow,
  type RunFactsRow,
  type RunRow,
  storedRun,
} from './run-row.ts'
export type {
  Lease,
  RunFacts,
  RunPage,
  RunQuery,
  RunRemoval,
  RunSave,
  RunStatus,
  RunStorage,
  StoredRun,
} from './runs.ts'
export { type QueryTerm, queryTerms, searchTerms } from './search-terms.ts'
export { sequenceCursor } from './sequence-cursor.ts'
export { assertSharedQuery, newSharedItemRows, type SharedItemRow, sharedItems } from './shared-item-row.ts'
export type { Storage } from './storage.ts'
export {
  messageNotFound,
  rowUnreadable,
  runExists,
  runNotFound,
  storageClosed,
  storageConflict,
  taskConflict,
  taskEnded,
  taskNotFound,
  threadExists,
  threadNotFound,
  valueRefused,
} from './storage-errors.ts'
export {
  assertTaskMessageQuery,
  type NewTaskMessageRow,
  newTaskMessageRow,
  type TaskMessageRow,
  taskMessage,
} from './task-message-row.ts'
export {
  allTaskFacts,
  assertTaskClaim,
  assertTaskDelivery,
  checkedTaskQuery,
  type NewTaskRow,
  newTaskRow,
  storedTask,
  storedTasks,
  type TaskFactsRow,
  type TaskFilter,
  type TaskMove,
  type TaskRow,
  taskMove,
} from './task-row.ts'
export type {
  EndedTaskStatus,
  NewTask,
  NewTaskMessage,
  SharedItems,
  SharedQuery,
  StoredTask,
  TaskChange,
  TaskClaim,
  TaskDelivery,
  TaskFacts,
  TaskMessage,
  TaskMessageQuery,
  TaskQuery,
  TaskStatus,
  TaskStorage,
} from './tasks.ts'
export {
  assertThreadOrder,
  DEFAULT_PAGE,
  type ThreadOrder,
  type ThreadPosition,
  threadCursor,
  threadPosition,
} from './thread-cursor.ts'
export { encodedMetadata, encodedTitle, storedThread, storedThreads, type ThreadRow } from './thread-row.ts'
export type {
  BegunTurn,
  NewThread,
  NewTurn,
  ReplacedTurns,
  Thread,
  ThreadChange,
  ThreadCopy,
  ThreadKey,
  ThreadQuery,
  ThreadStorage,
} from './threads.ts'
export type { Fields, Value } from './values.ts'
export { assertVector, assertVectorMetadata } from './vector-checks.ts'
export type { VectorFilter, VectorItem, VectorMatch, VectorMetadata, VectorQuery, VectorStore } from './vectors.ts'
export type {
  WorkingMemory,
  WorkingMemoryChange,
  WorkingMemoryKey,
  WorkingMemoryStorage,
} from './working-memory.ts'
