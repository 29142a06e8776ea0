import { describe, expect, test } from 'vitest'
import { type MakeTree, Processes } from '../../test-support/gated-tree.ts'
import { createTool, type Tool } from '../tools/index.ts'
import { Agent } from './index.ts'

const call = (id: string, name: string, args: unknown) => ({ id, name, args })

/** Two calls of one tool: in one step, in two children, or in one child that is asked twice. */
const PLACES = {
  'one step': {
    script: { sup: [{ calls: [call('c', 'act', { n: 1 }), call('c', 'act', { n: 2 })] }, { text: 'end' }] },
    pending: ['c', 'c_2'],
  },
  'two children': {
    script: {
      sup: [{ calls: [call('d', 'a', { prompt: 'P' }), call('d', 'b', { prompt: 'P' })] }, { text: 'end' }],
      'sup/a': [{ calls: [call('c', 'act', { n: 1 })] }, { text: 'one' }],
      'sup/b': [{ calls: [call('c', 'act', { n: 2 })] }, { text: 'two' }],
    },
    pending: ['c', 'c_2'],
  },
} as const

function tree(tool: Tool): MakeTree {
  return (models) => {
    // Equal ids in different places.
    const child = (path: string) =>
      new Agent({ id: 'worker', description: 'd', model: models.at(path), tools: { act: tool } })
    const agents = { a: child('sup/a'), b: child('sup/b') }
    return new Agent({ id: 'sup', model: models.at('sup'), tools: { act: tool }, agents })
  }
}

describe.each(Object.entries(PLACES))('S14 B7.2 two calls of one tool wait, in %s', (_place, { script, pending }) => {
  const orders = [pending, pending.toReversed()] as (readonly string[])[]
  test.each(
    orders.flatMap((order) =>
      (['approve', 'answer', 'decline first', 'decline last'] as const).map((how) => ({ how, order })),
    ),
  )('$how, in the order $order: each gets its own, and runs once', async ({ how, order }) => {
    const ran: unknown[] = []
    const tool = createTool({
      id: 'act',
      requireApproval: how !== 'answer',
      execute: (input: Record<string, unknown>, { suspend, resumeData }) => {
        if (how === 'answer' && resumeData === undefined) suspend({ for: input['n'] })
        ran.push(how === 'answer' ? { ...input, resumeData } : input)
        return `did ${input['n']}`
      },
    }) as Tool
    const processes = new Processes(script)
    const make = tree(tool)
    const { runId, pendingCalls } = await processes.start(make).generate('Go')
    expect(pendingCalls?.map(({ toolCallId }) => toolCallId)).toEqual(pending)
    const argsOf = (id: string) => pendingCalls?.find(({ toolCallId }) => toolCallId === id)?.args as { n: number }
    const declined = how === 'decline first' ? order[0] : how === 'decline last' ? order[1] : undefined
    for (const [index, toolCallId] of order.entries()) {
      const agent = processes.start(make)
      const decision = { runId, toolCallId }
      const result =
        how === 'answer'
          ? await agent.resumeGenerate(`for ${argsOf(toolCallId).n}`, decision)
          : toolCallId === declined
            ? await agent.declineToolCallGenerate({ ...decision, reason: 'no' })
            : await agent.approveToolCallGenerate(decision)
      // The other one waits on, and the loop with it.
      const left = index === 0 ? [order[1]] : []
      expect(result.pendingCalls?.map((each) => each.toolCallId) ?? []).toEqual(left)
      const { runs } = await agent.listSuspendedRuns()
      expect(runs.flatMap(({ toolCalls }) => toolCalls.map((each) => each.toolCallId))).toEqual(left)
      expect(result.finishReason).toBe(index === 0 ? 'suspended' : 'stop')
    }
    const expected = order
      .filter((id) => id !== declined)
      .map((id) => (how === 'answer' ? { ...argsOf(id), resumeData: `for ${argsOf(id).n}` } : argsOf(id)))
    expect(ran).toEqual(expected)
    // Both results are in what the models read last.
    const read = ['sup', 'sup/a', 'sup/b'].map((path) => processes.models.calls(path).at(-1)?.text ?? '').join()
    for (const id of order) expect(read).toContain(id === declined ? 'was declined: no' : `did ${argsOf(id).n}`)
    processes.models.assertDone()
  })
})
