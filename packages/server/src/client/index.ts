export type {
  AgentInfo,
  ApprovalList,
  ClientResult,
  MessageList,
  RunDetails,
  RunInfo,
  RunList,
  ThreadList,
} from './answers.ts'
export {
  type Answering,
  type ApprovalsQuery,
  type Approving,
  createClient,
  type Declining,
  type RetinueClient,
  type RunsQuery,
  type ThreadPlace,
  type ThreadsQuery,
} from './client.ts'
export type { ClientOptions } from './connection.ts'
export { emptyView, reduceView } from './reduce-view.ts'
export { type ClientEvent, type EventsOptions, RunEvents } from './run-events.ts'
export type {
  DelegationView,
  PendingView,
  RootView,
  RunStatus,
  RunView,
  ToolView,
  ViewItem,
} from './view.ts'
