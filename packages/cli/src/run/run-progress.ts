import type { RunResult, RunStream } from '@retinue/core/agent'
import { ReportCollector } from './run-report.ts'
import { RunView } from './run-view.ts'

/** A run as it is told on stderr, and what its report will say; a run that waited goes on in the same one. */
export class RunProgress {
  readonly collector: ReportCollector = new ReportCollector()
  readonly #view: RunView

  constructor(options: { readonly err: (text: string) => void; readonly color: boolean }) {
    const { err, color } = options
    this.#view = new RunView({ print: (line) => err(`${line}\n`), now: () => performance.now(), color })
  }

  /** Shows what happens until the run has ended, or waits. An interrupt ends it. */
  async follow(stream: RunStream): Promise<RunResult> {
    const interrupt = (): void => stream.abort('interrupted')
    process.once('SIGINT', interrupt)
    try {
      for await (const chunk of stream.events) {
        this.collector.add(chunk)
        this.#view.show(chunk)
      }
    } finally {
      process.removeListener('SIGINT', interrupt)
    }
    return stream.result
  }
}
