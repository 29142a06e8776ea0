export type {
  AgentInfo,
  ApprovalList,
  ClientResult,
  MessageList,
  RunDetails,
  RunInfo,
  RunList,
  TaskDetails,
  TaskInfo,
  TaskList,
  TaskQuestionInfo,
  TaskQuestionList,
  ThreadList,
  UiMessageList,
} from './answers.ts'
export {
  type Answering,
  type ApprovalsQuery,
  type Approving,
  createClient,
  type Declining,
  type RetinueClient,
  type RunsQuery,
  type TaskFilter,
  type TasksQuery,
  type ThreadPlace,
  type ThreadsQuery,
} from './client.ts'
export type { ClientOptions } from './connection.ts'
export { emptyView, reduceView } from './reduce-view.ts'
export { type ClientEvent, type EventsOptions, type ResumeOptions, RunEvents } from './run-events.ts'
export type {
  DelegationView,
  PendingView,
  RootView,
  RunStatus,
  RunView,
  TaskView,
  ToolView,
  ViewItem,
} from './view.ts'
