import type { MarkedKind } from '../shared/packed-json.ts'
import { brandEnvelope, type DelegationEnvelope, isEnvelope } from './envelope.ts'

/** The outcome of a delegation in packed JSON: what marks it is no property that JSON keeps. */
export const PACKED_ENVELOPE: MarkedKind = {
  name: 'envelope',
  is: isEnvelope,
  mark: (value) => brandEnvelope(value as unknown as DelegationEnvelope),
}
