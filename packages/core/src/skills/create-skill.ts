import { assertSkill, type Skill } from './skill.ts'

/** Types a skill and checks it. It returns its argument. Throws `skill-invalid`; `data.field` says which field is to blame. */
export function createSkill<const S extends Skill>(skill: S): S {
  assertSkill(skill)
  return skill
}
