import { createTool } from '@retinue/core/tools'
import { z } from 'zod'
import { searchCorpus } from '../../../../../corpus/index.ts'

export default createTool({
  id: 'search-web',
  description:
    'Search for facts and quotable passages with citations. It reads a bundled corpus, an archived edition of The World ' +
    'Factbook with figures of 2010–2015, not the live web. Use it for countries, territories and oceans: economy, ' +
    'exports, history, government, people, geography, environment, communications, military, disputes between states.',
  inputSchema: z.object({
    query: z.string().min(1).describe('What to look for: a country or region, and the subject'),
    limit: z.number().int().min(1).max(10).default(5).describe('How many passages to return at most'),
  }),
  execute: ({ query, limit }) => searchCorpus(query, limit),
})
