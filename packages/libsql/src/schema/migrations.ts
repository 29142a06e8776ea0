/** One step of the tables' history: what it does, all in one transaction. */
export interface Migration {
  /** From 1, without a gap. */
  readonly version: number
  readonly statements: readonly string[]
}

/** The history of the tables. It is only ever added to: what was released is in files of users, and is not changed any more. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    statements: [
      // Sequences are those of `AUTOINCREMENT`, which never gives a number twice. Ids are text that people choose.
      `CREATE TABLE retinue_threads (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        resource_id TEXT NOT NULL,
        title TEXT,
        metadata TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      ) STRICT`,
      'CREATE INDEX retinue_threads_by_creation ON retinue_threads (resource_id, sequence)',
      'CREATE INDEX retinue_threads_by_use ON retinue_threads (resource_id, updated_at, sequence)',
      // `thread` is the sequence of the thread; the index on it holds the message's own sequence too, in order.
      `CREATE TABLE retinue_messages (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        thread INTEGER NOT NULL,
        id TEXT NOT NULL,
        message TEXT NOT NULL,
        metadata TEXT,
        terms TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        UNIQUE (thread, id)
      ) STRICT`,
      'CREATE INDEX retinue_messages_by_thread ON retinue_messages (thread)',
      // The terms are made by our own rules (`searchTerms`), so the index need only split them at spaces. It is brought up to date by
      // who searches (`search-index.ts`): to keep it with every message would be the dearest part of a turn.
      `CREATE VIRTUAL TABLE retinue_message_terms
        USING fts5 (terms, content = 'retinue_messages', content_rowid = 'sequence', tokenize = 'ascii')`,
      // Up to which message the index goes.
      'CREATE TABLE retinue_search_index (indexed INTEGER NOT NULL) STRICT',
      'INSERT INTO retinue_search_index VALUES (0)',
      `CREATE TRIGGER retinue_message_added AFTER INSERT ON retinue_messages BEGIN
        UPDATE retinue_threads SET updated_at = new.created_at
          WHERE sequence = new.thread AND updated_at < new.created_at;
      END`,
      `CREATE TRIGGER retinue_message_deleted AFTER DELETE ON retinue_messages
        WHEN old.sequence <= (SELECT indexed FROM retinue_search_index) BEGIN
        INSERT INTO retinue_message_terms (retinue_message_terms, rowid, terms) VALUES ('delete', old.sequence, old.terms);
      END`,
      // `thread` is 0 for the text of a whole resource.
      `CREATE TABLE retinue_working_memory (
        resource_id TEXT NOT NULL,
        thread INTEGER NOT NULL,
        text TEXT NOT NULL,
        version INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        PRIMARY KEY (resource_id, thread)
      ) STRICT`,
      `CREATE TABLE retinue_vectors (
        resource_id TEXT NOT NULL,
        id TEXT NOT NULL,
        dimensions INTEGER NOT NULL,
        vector F32_BLOB NOT NULL,
        facts TEXT NOT NULL,
        PRIMARY KEY (resource_id, id)
      )`,
    ],
  },
  {
    version: 2,
    statements: [
      // What the owner is called where people read it, where that is not `resource_id`, which alone says who owns the thread.
      'ALTER TABLE retinue_threads ADD COLUMN called_as TEXT',
      // The thread that a thread is for, by its id and owner: it may be kept elsewhere.
      'ALTER TABLE retinue_threads ADD COLUMN parent_id TEXT',
      'ALTER TABLE retinue_threads ADD COLUMN parent_owner TEXT',
      'CREATE INDEX retinue_threads_by_parent ON retinue_threads (parent_id) WHERE parent_id IS NOT NULL',
    ],
  },
  {
    version: 3,
    statements: [
      // Beside a lease stands the process that holds it. The body comes last: what is read of every run lies before it.
      `CREATE TABLE retinue_runs (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL UNIQUE,
        agent_id TEXT NOT NULL,
        status TEXT NOT NULL,
        thread_id TEXT,
        resource_id TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        version INTEGER NOT NULL,
        lease_holder TEXT,
        lease_until INTEGER,
        lease_process TEXT,
        body TEXT NOT NULL
      ) STRICT`,
      'CREATE INDEX retinue_runs_by_status ON retinue_runs (status)',
      'CREATE INDEX retinue_runs_by_agent ON retinue_runs (agent_id, status)',
      'CREATE INDEX retinue_runs_by_thread ON retinue_runs (thread_id) WHERE thread_id IS NOT NULL',
      'CREATE INDEX retinue_runs_by_resource ON retinue_runs (resource_id) WHERE resource_id IS NOT NULL',
      `CREATE TABLE retinue_approvals (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        run_id TEXT NOT NULL,
        tool_call_id TEXT NOT NULL,
        round INTEGER NOT NULL,
        agent_id TEXT NOT NULL,
        status TEXT NOT NULL,
        thread_id TEXT,
        resource_id TEXT,
        requested_at INTEGER NOT NULL,
        decided_at INTEGER,
        started_at INTEGER,
        ended_at INTEGER,
        request TEXT NOT NULL,
        decision TEXT,
        UNIQUE (run_id, tool_call_id, round)
      ) STRICT`,
      'CREATE INDEX retinue_approvals_by_status ON retinue_approvals (status)',
      'CREATE INDEX retinue_approvals_by_agent ON retinue_approvals (agent_id, status)',
      'CREATE INDEX retinue_approvals_by_thread ON retinue_approvals (thread_id) WHERE thread_id IS NOT NULL',
      'CREATE INDEX retinue_approvals_by_resource ON retinue_approvals (resource_id) WHERE resource_id IS NOT NULL',
    ],
  },
  {
    version: 4,
    statements: [
      // What is read of every task lies before what can be long.
      `CREATE TABLE retinue_tasks (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        task_id TEXT NOT NULL UNIQUE,
        root_run_id TEXT NOT NULL,
        parent_tree TEXT NOT NULL,
        parent_run_id TEXT NOT NULL,
        tells TEXT NOT NULL,
        agent_id TEXT NOT NULL,
        tool_call_id TEXT NOT NULL,
        thread_id TEXT,
        resource_id TEXT,
        status TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        started_at INTEGER,
        ended_at INTEGER,
        delivered_at INTEGER,
        claimed_by TEXT,
        claims INTEGER NOT NULL DEFAULT 0,
        claimed_until INTEGER,
        call TEXT NOT NULL,
        error TEXT,
        args TEXT NOT NULL,
        terms TEXT NOT NULL,
        outcome TEXT
      ) STRICT`,
      'CREATE INDEX retinue_tasks_by_root_run ON retinue_tasks (root_run_id)',
      'CREATE INDEX retinue_tasks_by_parent_run ON retinue_tasks (parent_run_id)',
      'CREATE INDEX retinue_tasks_by_status ON retinue_tasks (status)',
      'CREATE INDEX retinue_tasks_by_agent ON retinue_tasks (agent_id, status)',
      'CREATE INDEX retinue_tasks_by_thread ON retinue_tasks (thread_id, resource_id) WHERE thread_id IS NOT NULL',
      'CREATE INDEX retinue_tasks_by_resource ON retinue_tasks (resource_id) WHERE resource_id IS NOT NULL',
      // Each turn of a thread asks for these, of which there are few, however many tasks it has had.
      `CREATE INDEX retinue_tasks_undelivered ON retinue_tasks (thread_id, resource_id)
        WHERE tells = 'thread' AND ended_at IS NOT NULL AND delivered_at IS NULL`,
      // `task` is the sequence of the task.
      `CREATE TABLE retinue_task_messages (
        task INTEGER NOT NULL,
        sequence INTEGER NOT NULL,
        at INTEGER NOT NULL,
        text TEXT NOT NULL,
        PRIMARY KEY (task, sequence)
      ) STRICT`,
      `CREATE TRIGGER retinue_task_deleted AFTER DELETE ON retinue_tasks BEGIN
        DELETE FROM retinue_task_messages WHERE task = old.sequence;
      END`,
      `CREATE TABLE retinue_shared_items (
        list_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        item TEXT NOT NULL,
        PRIMARY KEY (list_id, position)
      ) STRICT`,
    ],
  },
  {
    version: 5,
    statements: [
      // What runs told. It is of no use without the run, whoever deletes that.
      `CREATE TABLE retinue_run_events (
        run_id TEXT NOT NULL,
        leg INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (run_id, leg, first)
      ) STRICT`,
      `CREATE TRIGGER retinue_run_deleted AFTER DELETE ON retinue_runs BEGIN
        DELETE FROM retinue_run_events WHERE run_id = old.run_id;
      END`,
    ],
  },
]
