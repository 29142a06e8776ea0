import { createTool, type ToolContext } from '@retinue/core/tools'
import type { WorkspaceShell } from '@retinue/core/workspace'
import type { WorkspaceTool } from './reading-tools.ts'
import { runCommand } from './run-command.ts'
import { RUN_COMMAND } from './tool-names.ts'

/** What a command gets of the program's environment: nothing in it is a secret. Windows can't start programs without its own. */
const SAFE: readonly string[] = [
  ...['PATH', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  ...['SystemRoot', 'ComSpec', 'PATHEXT', 'TEMP', 'TMP'],
]

const TIMEOUT_MS = 30_000
const OUTPUT_BYTES = 16 * 1024

/**
 * Runs commands for a model, in the workspace. It is no sandbox: see `WorkspaceShell`. `root` gives the workspace's folder, and is
 * asked at each call.
 */
export function shellTool(shell: WorkspaceShell, root: () => string): WorkspaceTool {
  const { requireApproval = true, timeoutMs = TIMEOUT_MS, outputBytes = OUTPUT_BYTES } = shell
  return createTool({
    id: RUN_COMMAND,
    description: `Runs a command with the system's shell, in your workspace, and waits until it ends. Returns its exit code and what it printed. It gets no input, and is killed after ${timeoutMs} ms.`,
    inputSchema: {
      type: 'object',
      properties: { command: { type: 'string', minLength: 1, description: 'The command, as in a shell.' } },
      required: ['command'],
      additionalProperties: false,
    },
    requireApproval:
      typeof requireApproval === 'function'
        ? (input) => requireApproval({ command: String(input['command']) })
        : requireApproval,
    execute: (input, context: ToolContext | undefined) => {
      const cwd = root()
      const env = { ...safeEnvironment(process.env), HOME: cwd, ...shell.env }
      const text = String(input['command'])
      return runCommand({ text, cwd, env, timeoutMs, outputBytes, signal: context?.abortSignal })
    },
  })
}

function safeEnvironment(all: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    SAFE.flatMap((name) => {
      const value = all[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}
