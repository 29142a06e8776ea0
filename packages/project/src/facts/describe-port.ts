import type { ModuleFact } from './facts.ts'
import { isRecord, kindOfValue } from './value-kind.ts'

/** The ports of core whose implementations stand in slots, with the members by which one is known. */
const PORTS = {
  memory: { open: 'function', within: 'function' },
  storage: {
    threads: 'object',
    workingMemory: 'object',
    runs: 'object',
    approvals: 'object',
    tasks: 'object',
    close: 'function',
  },
  logger: { warn: 'function' },
} as const

type Port = keyof typeof PORTS

export function isPort(slot: string): slot is Port {
  return Object.hasOwn(PORTS, slot)
}

/**
 * What rules need to know of a memory, a storage or a logger: an object with methods, mostly of a class. It is looked at, and nothing
 * of it is called: describing a storage opens no file.
 */
export function describePort(slot: Port, value: unknown): ModuleFact | undefined {
  if (slot === 'logger' && value === false) return { kind: slot, missing: [] }
  const kind = kindOfValue(value)
  if (!isRecord(value) || kind === 'promise' || kind === 'agent' || kind === 'tool') return undefined
  const members = Object.entries(PORTS[slot])
  const missing = members.filter(([name, wanted]) => {
    const member = value[name]
    return wanted === 'object' ? !isRecord(member) : typeof member !== wanted
  })
  return { kind: slot, missing: missing.map(([name]) => name) }
}
