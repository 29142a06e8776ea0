/** What all of `retinue approvals` is called with. */
export interface ApprovalsOptions {
  /** The project's directory. */
  readonly cwd: string
  readonly dir?: string | undefined
  readonly json: boolean
  /** Whether stderr gets colours. */
  readonly color: boolean
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Rejects when the process can't be trusted to go on. */
  readonly fatal?: Promise<never> | undefined
}
