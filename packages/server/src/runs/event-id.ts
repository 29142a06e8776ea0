import type { EventPlace } from '@retinue/core/storage'
import { requestInvalid } from '../errors/request-errors.ts'

/** The place before everything. */
export const START: EventPlace = { leg: 0, seq: 0 }

/** The id of an event, as `Last-Event-ID` gives it back. */
export function eventId({ leg, seq }: EventPlace): string {
  return `${leg}.${seq}`
}

/** The place of the last event that somebody read; undefined where he read none. Throws `request-invalid` for an id that is none. */
export function placeAfter(id: string | undefined): EventPlace | undefined {
  if (id === undefined || id === '') return undefined
  const place = eventPlace(id)
  if (!place) throw requestInvalid('The id of the last event is none.', 'Send the id that the event came with.')
  return place
}

/** The place of an id; undefined for a text that is none. */
function eventPlace(id: string): EventPlace | undefined {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(id)
  if (!match) return undefined
  const place = { leg: Number(match[1]), seq: Number(match[2]) }
  return Number.isSafeInteger(place.leg) && Number.isSafeInteger(place.seq) ? place : undefined
}

export function isAfter(one: EventPlace, other: EventPlace): boolean {
  return one.leg > other.leg || (one.leg === other.leg && one.seq > other.seq)
}
