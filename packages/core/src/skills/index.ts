export { createSkill } from './create-skill.ts'
export type { Skill, SkillContext, Skills, SkillText } from './skill.ts'
export { SKILL_TOOL } from './skill.ts'
