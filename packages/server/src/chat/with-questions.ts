import type { Approval } from '@retinue/core/storage'
import type { UiMessage } from './to-ui-messages.ts'

/** Messages with what waits in them for a person, as the stream of their run told it. */
export function withQuestions(messages: readonly UiMessage[], pending: readonly Approval[]): UiMessage[] {
  return messages.map((message) => {
    const asked = pending.filter(({ runId }) => runId === message.id)
    return asked.length === 0 || message.role === 'user' ? message : { ...message, parts: partsWith(message, asked) }
  })
}

function partsWith({ parts }: UiMessage, asked: readonly Approval[]): UiMessage['parts'] {
  const own = new Map(asked.filter(isOfMessage).map((approval) => [approval.toolCallId, approval]))
  const below = asked.filter((approval) => !isOfMessage(approval))
  return [
    ...parts.map((part) => {
      const approval = part['state'] === 'input-available' ? own.get(String(part['toolCallId'])) : undefined
      return approval ? { ...part, state: 'approval-requested', approval: { id: approval.toolCallId } } : part
    }),
    ...below.map(dataPart),
  ]
}

/** The protocol knows approvals of calls that the message itself has. */
function isOfMessage({ path, kind }: Approval): boolean {
  return path.length === 1 && kind === 'approval'
}

function dataPart({ kind, path, toolCallId, toolName, args, payload, expiresAt }: Approval): Record<string, unknown> {
  const data = {
    ...{ path, toolCallId, toolName, args },
    ...(payload === undefined ? {} : { suspendPayload: payload }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  return { type: kind === 'approval' ? 'data-tool-call-approval' : 'data-tool-call-suspended', id: toolCallId, data }
}
