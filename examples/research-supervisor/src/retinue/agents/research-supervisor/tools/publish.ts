import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
import { publishText } from '../../../published/publish-text.ts'

export default createTool({
  id: 'publish',
  description: 'Publishes a finished text: saves it where others read it. A person approves that first.',
  inputSchema: z.object({ text: z.string().min(1).describe('The whole text in Markdown, its title first') }),
  requireApproval: true,
  execute: async ({ text }) => ({ published: await publishText(text) }),
})
