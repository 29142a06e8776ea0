import { describe, expect, test } from 'vitest'
import { EventLog } from './event-log.ts'
import { uiMessageResponse } from './ui-message-response.ts'

const base = { runId: 'root', from: 'AGENT', path: ['sup'] } as const
const stepEnd = { stepResult: { reason: 'stop', isContinued: false }, output: { usage: {} } }

/** The frames that a browser gets of these chunks. */
async function frames(...chunks: object[]): Promise<unknown[]> {
  const log = new EventLog()
  log.addScope('child', { toolCallId: 'c', toolName: 'n', parentRunId: 'root', path: ['sup', 'n'] })
  for (const chunk of chunks) log.push(Object.assign({}, base, chunk) as never)
  log.close()
  const text = await uiMessageResponse(log, 'root').text()
  return text.split('\n\n').flatMap((frame) => {
    const data = frame.replace(/^data: /, '')
    return data === '' ? [] : [data === '[DONE]' ? data : JSON.parse(data)]
  })
}

describe('B8.1 the response of a web route', () => {
  test('B8.1 the root’s text, tools and end, as the AI SDK’s UI message stream', async () => {
    const got = await frames(
      { type: 'start', payload: { id: 'sup', messageId: 'm' } },
      { type: 'step-start', payload: {} },
      { type: 'text-start', payload: { id: 't' } },
      { type: 'text-delta', payload: { id: 't', text: 'Hi' } },
      { type: 'text-end', payload: { id: 't' } },
      { type: 'tool-call-input-streaming-start', payload: { toolCallId: 'c', toolName: 'n' } },
      { type: 'tool-call-delta', payload: { toolCallId: 'c', argsTextDelta: '{}' } },
      { type: 'tool-call', payload: { toolCallId: 'c', toolName: 'n', args: {} } },
      { type: 'tool-result', payload: { toolCallId: 'c', toolName: 'n', args: {} } },
      {
        type: 'tool-error',
        payload: { toolCallId: 'd', toolName: 'n', args: {}, error: { code: 'tool-failed', message: 'no' } },
      },
      { type: 'step-finish', payload: stepEnd },
      { type: 'finish', payload: { ...stepEnd, stepResult: { reason: 'max-steps' } } },
    )
    expect(got).toEqual([
      { type: 'start', messageId: 'm' },
      { type: 'start-step' },
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'Hi' },
      { type: 'text-end', id: 't' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'n' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{}' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'n', input: {} },
      { type: 'tool-output-available', toolCallId: 'c', output: null },
      { type: 'tool-output-error', toolCallId: 'd', errorText: 'no' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'other' },
      '[DONE]',
    ])
  })

  test('B8.1 of a child its delegation, and what its tools wrote for the user interface; not its text', async () => {
    const got = await frames(
      { type: 'delegation-start', payload: { key: 'n', runId: 'child' } },
      { type: 'text-delta', runId: 'child', payload: { id: 't', text: 'inner' } },
      { type: 'finish', runId: 'child', payload: stepEnd },
      { type: 'data-progress', runId: 'child', payload: { data: 0.5, id: 'p' } },
    )
    expect(got).toEqual([
      { type: 'data-delegation', id: 'child', data: { path: ['sup'], key: 'n', runId: 'child' } },
      { type: 'data-progress', data: 0.5, id: 'p' },
    ])
  })

  test('B8.1 a result that JSON can’t carry says so, and the stream goes on', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const got = await frames(
      { type: 'tool-result', payload: { toolCallId: 'a', result: { n: 1n } } },
      { type: 'data-x', payload: { data: circular } },
      { type: 'text-delta', payload: { id: 't', text: 'on' } },
    )
    expect(got).toMatchObject([
      { type: 'tool-output-available', toolCallId: 'a', output: expect.stringContaining("can't be told in JSON") },
      { type: 'data-x', data: expect.stringContaining("can't be told in JSON") },
      { type: 'text-delta', delta: 'on' },
    ])
  })

  test('B8.1 a browser that leaves ends nothing', async () => {
    const log = new EventLog()
    const response = uiMessageResponse(log, 'root', { status: 201, headers: { 'x-mine': '1' } })
    expect([response.status, response.headers.get('x-mine'), response.headers.get('content-type')]).toEqual([
      201,
      '1',
      'text/event-stream',
    ])
    await response.body?.cancel()
    expect(log.readers).toBe(0)
    log.push({ ...base, type: 'data-x', payload: { data: 1 } })
    expect(log.length).toBe(1)
  })

  test('B9.4 how a background task stands is one part, which is replaced', async () => {
    const reference = { taskId: 't1', toolCallId: 'c', toolName: 'n' }
    const got = await frames(
      { type: 'background-task-started', payload: reference },
      { type: 'background-task-completed', payload: { ...reference, result: { text: 'x' } } },
    )
    const part = { type: 'data-background-task', id: 't1' }
    expect(got).toEqual([
      { ...part, data: { path: ['sup'], status: 'started', ...reference } },
      { ...part, data: { path: ['sup'], status: 'completed', ...reference, result: { text: 'x' } } },
    ])
  })
})
