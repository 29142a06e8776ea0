import { child } from '../child.ts'
import { assert, type Property } from '../core.ts'
import { checkedIds } from '../integrity.ts'
import { tempFolder } from '../temp-folder.ts'

/** What was acknowledged is there after a kill -9, whenever it comes; the file is sound, and the next process goes on with it. */
export function killedWriters(kills: number): Property {
  return {
    name: 'kill-9',
    unit: `files that a process after another writes to, ${kills} of which are killed`,
    check: async (random, tally) => {
      using folder = tempFolder()
      const url = folder.file()
      const acknowledged: string[] = []
      for (let kill = 0; kill < kills; kill++) {
        const writing = { url, name: `k${kill}`, writers: 5, messages: 100_000, tell: true }
        const process = child('writing-process.ts', writing)
        await process.printed(random.between(1, 300))
        process.kill()
        await process.ended
        acknowledged.push(...process.lines)
        const ids = await checkedIds(url)
        const there = new Set(ids)
        const lost = acknowledged.filter((id) => !there.has(id))
        assert(lost.length === 0, () => `acknowledged and not there: ${lost.join(', ')}`)
        assert(there.size === ids.length, () => 'a message is there twice')
      }
      tally('acknowledged', acknowledged.length)
      tally('kills', kills)
    },
  }
}
