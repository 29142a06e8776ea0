import { isRetinueError } from '@retinue/core/errors'
import { createSkill, type Skill } from '@retinue/core/skills'
import type { FieldRefusal } from './facts.ts'

/** A skill that is in order, for whoever asks about one field at a time. */
const PROBE: Skill = { name: 'probe', description: 'Probes.', instructions: 'Probe.' }

/**
 * What core takes not of a skill, field by field: all that is wrong is told at once. It is also asked about skills that are text, by
 * rules: so it needs of core only what skills are, and no agent.
 */
export function fieldRefusals(skill: Readonly<Record<string, unknown>>): FieldRefusal[] {
  const fields = new Set([...Object.keys(PROBE), ...Object.keys(skill)])
  return [...fields].flatMap((field): FieldRefusal[] => {
    const value = skill[field]
    try {
      createSkill({ ...PROBE, [field]: value })
      return []
    } catch (error) {
      if (!isRetinueError(error)) throw error
      const { wanted, known } = error.data
      if (Array.isArray(known)) return [{ field, state: 'unknown', known: known.map(String) }]
      const isBlank = typeof value === 'string' && value.trim() === ''
      return [{ field, state: value === undefined ? 'missing' : isBlank ? 'blank' : 'wrong', wanted: String(wanted) }]
    }
  })
}
