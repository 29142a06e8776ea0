import { type FixtureFileResponse, LLMock } from '@copilotkit/aimock'
import { onTestFinished } from 'vitest'
import { type LoopbackServer, startFront } from './loopback-server.ts'

/** What the next request of an agent, told by its instructions, is answered with. */
export interface MockTurn {
  /** A text of the instructions. */
  readonly agent: string
  /** Whether a tool's result was the last that it was told. */
  readonly told: boolean
  readonly answer: FixtureFileResponse
}

/** aimock, which speaks every provider's protocol, behind a front that checks what arrives. Nothing is answered that no turn is for. */
export async function startMock(turns: readonly MockTurn[]): Promise<LoopbackServer> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', strict: true, chunkSize: 7 })
  for (const { agent, told, answer } of turns) mock.on({ systemMessage: agent, hasToolResult: told }, answer)
  const url = await mock.start()
  onTestFinished(() => mock.stop())
  return startFront(url)
}
