import type { ApprovalStatus, TaskStatus, Thread } from '@retinue/core/storage'
import type { RunBody } from '../schemas/run-options.ts'
import type {
  AgentInfo,
  ApprovalList,
  ClientResult,
  MessageList,
  RunDetails,
  RunList,
  TaskDetails,
  TaskList,
  TaskQuestionList,
  ThreadList,
  UiMessageList,
} from './answers.ts'
import { type ClientOptions, Connection } from './connection.ts'
import { type EventsOptions, type ResumeOptions, RunEvents } from './run-events.ts'

/** For whom, where the caller sees all. */
interface ResourceQuery {
  readonly resourceId?: string
}

/** And of which page. */
interface PageQuery extends ResourceQuery {
  readonly limit?: number
  readonly cursor?: string
}

export interface RunsQuery extends PageQuery {
  readonly agentId?: string
  readonly threadId?: string
  readonly status?: 'running' | 'suspended' | 'ended'
}

export interface ApprovalsQuery extends PageQuery {
  readonly agentId?: string
  readonly threadId?: string
  readonly runId?: string
  readonly status?: ApprovalStatus
}

/** Which background tasks. `runId`: that of the run that somebody began. */
export interface TaskFilter {
  readonly resourceId?: string
  readonly agentId?: string
  readonly threadId?: string
  readonly runId?: string
}

export interface TasksQuery extends TaskFilter, PageQuery {
  readonly status?: TaskStatus
}

export interface ThreadsQuery extends PageQuery {
  readonly agentId?: string
  readonly order?: 'created' | 'updated'
}

/** Whose thread, in whose memory. */
export interface ThreadPlace {
  readonly resourceId?: string
  readonly agentId?: string
}

/** What is decided; the id of the call can be left out while one waits. */
export interface Approving {
  readonly toolCallId?: string
  /** What the call runs with instead. */
  readonly args?: Readonly<Record<string, unknown>>
}

export interface Declining {
  readonly toolCallId?: string
  readonly reason?: string
}

export interface Answering {
  readonly toolCallId?: string
  readonly data: unknown
}

type Body = Record<string, unknown>

/** A client of a server, for browsers and Node. What the server refuses is a `RetinueError` with its code, message and hint. */
export function createClient(options: ClientOptions) {
  const connection = new Connection(options)
  const followed: Followed = (path, body, options = {}, of = {}) => {
    const { signal } = options
    const open = () => connection.send('POST', path, { body, accept: 'text/event-stream', signal })
    return new RunEvents(connection, { ...options, ...of, open })
  }
  return {
    agents: agentsOf(connection, followed),
    runs: runsOf(connection, followed),
    approvals: {
      list: (query: ApprovalsQuery = {}) => connection.json<ApprovalList>('GET', '/api/approvals', { query }),
    },
    tasks: tasksOf(connection, followed),
    threads: threadsOf(connection),
    chat: {
      /** Ends the run of a chat of `useChat`, which otherwise goes on when its page leaves. */
      stop: (agentId: string, chatId: string, query: ResourceQuery = {}) =>
        connection.json<{ stopped: boolean; runId?: string }>(
          'POST',
          `/api/chat/${part(agentId)}/${part(chatId)}/stop`,
          {
            body: {},
            query,
          },
        ),
    },
  }
}

export type RetinueClient = ReturnType<typeof createClient>

type Followed = (path: string, body: object, options?: EventsOptions, of?: { readonly runId?: string }) => RunEvents

function agentsOf(connection: Connection, followed: Followed) {
  return {
    list: async (): Promise<readonly AgentInfo[]> =>
      (await connection.json<{ agents: readonly AgentInfo[] }>('GET', '/api/agents')).agents,
    get: (agentId: string) => connection.json<AgentInfo>('GET', `/api/agents/${part(agentId)}`),
    /** Runs an agent to its end, or until it waits for a person. */
    generate: (agentId: string, body: RunBody, { signal }: EventsOptions = {}) =>
      connection.json<ClientResult>('POST', `/api/agents/${part(agentId)}/generate`, { body, signal }),
    /** Runs an agent, and gives its events. The run begins when they are read. */
    stream: (agentId: string, body: RunBody, events?: EventsOptions) =>
      followed(`/api/agents/${part(agentId)}/stream`, body, events),
  }
}

function runsOf(connection: Connection, followed: Followed) {
  const path = (runId: string, verb: string): string => `/api/runs/${part(runId)}/${verb}`
  const decided = (runId: string, verb: string, body: object, { signal }: EventsOptions = {}) =>
    connection.json<ClientResult>('POST', path(runId, verb), { body, signal })
  return {
    list: (query: RunsQuery = {}) => connection.json<RunList>('GET', '/api/runs', { query }),
    get: (runId: string) => connection.json<RunDetails>('GET', `/api/runs/${part(runId)}`),
    /** The events of a run, from its start or after one, as long as it goes on. */
    events: (runId: string, options: ResumeOptions = {}): RunEvents => new RunEvents(connection, { ...options, runId }),
    /** Approves a call, and gives what the run came to since. */
    approve: (runId: string, body: Approving = {}, options?: EventsOptions) => decided(runId, 'approve', body, options),
    decline: (runId: string, body: Declining = {}, options?: EventsOptions) => decided(runId, 'decline', body, options),
    /** Answers a call that was suspended. */
    resume: (runId: string, body: Answering, options?: EventsOptions) => decided(runId, 'resume', body, options),
    /** As `approve`, with the events of what follows; it is decided when they are read. */
    approveStream: (runId: string, body: Approving = {}, options?: EventsOptions) =>
      followed(path(runId, 'approve'), body, options, { runId }),
    declineStream: (runId: string, body: Declining = {}, options?: EventsOptions) =>
      followed(path(runId, 'decline'), body, options, { runId }),
    resumeStream: (runId: string, body: Answering, options?: EventsOptions) =>
      followed(path(runId, 'resume'), body, options, { runId }),
    /** Goes on with a durable run that a process died over. */
    recover: (runId: string, options?: EventsOptions) => decided(runId, 'recover', {}, options),
    cancel: (runId: string) => connection.json<{ runId: string }>('POST', path(runId, 'cancel'), { body: {} }),
  }
}

function tasksOf(connection: Connection, followed: Followed) {
  const path = (taskId: string, verb: string): string => `/api/tasks/${part(taskId)}/${verb}`
  return {
    list: (query: TasksQuery = {}) => connection.json<TaskList>('GET', '/api/tasks', { query }),
    get: (taskId: string) => connection.json<TaskDetails>('GET', `/api/tasks/${part(taskId)}`),
    /** What happens in a task, to its end: from now on and first how it stands, or after an event. */
    events: (taskId: string, options: ResumeOptions = {}): RunEvents =>
      new RunEvents(connection, { ...options, runId: taskId, of: 'task' }),
    /** Ends a task; `cancelled` is false if it had ended before. */
    cancel: (taskId: string, body: { readonly reason?: string } = {}) =>
      connection.json<{ taskId: string; cancelled: boolean }>('POST', path(taskId, 'cancel'), { body }),
    /** Says something to a task: its agent reads it before its next model call. */
    send: (taskId: string, text: string) =>
      connection.json<{ taskId: string }>('POST', path(taskId, 'messages'), { body: { text } }),
    /** What tasks ask of people. A call that wants an approval is decided with the id of its run, or of its task: `runs.approve`. */
    questions: (query: TaskFilter & PageQuery = {}) =>
      connection.json<TaskQuestionList>('GET', '/api/tasks/questions', { query }),
    /** Answers a question, and lets the task go on; it does not wait for what comes of that. */
    answer: (taskId: string, body: Answering) =>
      connection.json<{ taskId: string; runId: string }>('POST', path(taskId, 'answer'), { body }),
    /** As `answer`, with the events of what follows; it is answered when they are read. */
    answerStream: (taskId: string, body: Answering, options?: EventsOptions) =>
      followed(path(taskId, 'answer'), body, options, { runId: taskId }),
  }
}

function threadsOf(connection: Connection) {
  const path = (threadId: string): string => `/api/threads/${part(threadId)}`
  return {
    list: (query: ThreadsQuery = {}) => connection.json<ThreadList>('GET', '/api/threads', { query }),
    create: (thread: { threadId?: string; title?: string; metadata?: Body }, query: ThreadPlace = {}) =>
      connection.json<Thread>('POST', '/api/threads', { body: thread, query }),
    get: (threadId: string, query: ThreadPlace = {}) => connection.json<Thread>('GET', path(threadId), { query }),
    /** Renames a thread, or replaces its metadata; null takes either away. */
    update: (threadId: string, change: { title?: string | null; metadata?: Body | null }, query: ThreadPlace = {}) =>
      connection.json<Thread>('PATCH', path(threadId), { body: change, query }),
    delete: (threadId: string, query: ThreadPlace = {}) => connection.json<void>('DELETE', path(threadId), { query }),
    clone: (threadId: string, copy: { newThreadId?: string; title?: string | null } = {}, query: ThreadPlace = {}) =>
      connection.json<Thread>('POST', `${path(threadId)}/clone`, { body: copy, query }),
    messages: (
      threadId: string,
      query: ThreadPlace & { readonly limit?: number; readonly before?: number; readonly after?: number } = {},
    ) => connection.json<MessageList>('GET', `${path(threadId)}/messages`, { query }),
    /** As `useChat` begins with them, in whole turns: the last, or with the `before` of a page those before it. */
    uiMessages: (threadId: string, query: ThreadPlace & { readonly limit?: number; readonly before?: number } = {}) =>
      connection.json<UiMessageList>('GET', `${path(threadId)}/messages`, { query: { ...query, format: 'ui' } }),
  }
}

function part(id: string): string {
  return encodeURIComponent(id)
}
