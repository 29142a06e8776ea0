import { assertCheckOptions, type Check, createCheck, idOf, textsOf } from './create-check.ts'
import { allDelegations, counts, type DelegationCheckOptions, leadsTo } from './delegated-to.ts'
import { firstOutOfOrder } from './in-order.ts'
import { whatMissed } from './tool-order.ts'
import { quoted } from './words.ts'

/**
 * The agent delegated to these subagents in this order, each named as for `delegatedTo`; others may come between. Delegations of one step
 * count in the order in which the model asked for them, and what a child delegated comes after the delegation to it.
 */
export function delegationOrder(subagents: readonly string[], options: DelegationCheckOptions = {}): Check {
  assertCheckOptions('delegationOrder', options, ['status'])
  const expected = textsOf('delegationOrder', subagents)
  const id = idOf('delegation-order', options, ...expected)
  return createCheck({
    id,
    description: `There were delegations in this order: ${quoted(expected)}.`,
    look(run) {
      const made = allDelegations(run, id).filter((delegation) => counts(delegation, options))
      const missed = firstOutOfOrder(expected, made, leadsTo)
      const order = `in this order: ${quoted(expected)}`
      return missed === undefined
        ? { ok: true, reason: `The delegations came ${order}.` }
        : { ok: false, reason: `Delegate ${order}. ${whatMissed(expected, missed)}` }
    },
  })
}
