import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type PageTree, treeUnder, writeTree } from '../../test-support/page-trees.ts'
import { checkProject } from '../check-project.ts'
import { examine } from '../examine.ts'
import type { DetailedFinding } from '../findings/finding.ts'
import { renderFindings } from '../findings/render.ts'
import { InProcessLoader } from '../load/in-process-loader.ts'
import { DiskTree } from '../tree/disk-tree.ts'
import { RULES } from './index.ts'
import { diagnosticPage, diagnosticPages, nearestCodes } from './pages.ts'

async function findingsOf(tree: PageTree, code: string): Promise<readonly DetailedFinding[]> {
  const root = writeTree(tree)
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  // A module that hangs would hang this process, too.
  if (code === 'load-timeout') return (await checkProject(root)).findings
  return (await examine(new DiskTree(root), new InProcessLoader(root))).findings
}

test('B11.11 every code has a page, and every page a code', () => {
  const pages = readdirSync(join(import.meta.dirname, '../../docs/diagnostics'))
  expect(pages.sort()).toEqual(RULES.map(({ code }) => `${code}.md`).sort())
})

describe.each(RULES.map(({ code, severity }) => ({ code, severity })))(
  'B11.11 the page of $code',
  ({ code, severity }) => {
    test('says what it means in a sentence, why it matters and how to mend it', async () => {
      const page = await diagnosticPage(code)
      expect(page).toMatchObject({ code, severity, summary: expect.stringMatching(/^\S.{10,140}\.$/) })
      const headings = page?.text.match(/^#+ .*/gm)
      expect(headings).toEqual([`# ${code}`, ...['Why it matters', 'How to mend it', 'Bad tree', 'Good tree'].map(h2)])
    })

    test('shows a tree that has it, word for word as check says, and one that has nothing', async () => {
      const { text = '' } = (await diagnosticPage(code)) ?? {}
      const bad = treeUnder(text, 'Bad tree')
      const found = await findingsOf(bad, code)
      expect(found.map((finding) => finding.code)).toEqual([code])
      expect(bad.said).toBe(renderFindings(found))
      const good = treeUnder(text, 'Good tree')
      expect(good.files.size).toBeGreaterThan(0)
      expect(renderFindings(await findingsOf(good, code))).toBe('')
    })
  },
)

function h2(title: string): string {
  return `## ${title}`
}

test('all pages, in the order of their codes; none for what is no code', async () => {
  const codes = (await diagnosticPages()).map(({ code }) => code)
  expect(codes).toEqual(RULES.map(({ code }) => code).sort())
  expect(await diagnosticPage('nope')).toBe(undefined)
  expect(await diagnosticPage('../diagnostics/app-empty')).toBe(undefined)
})

test.each([
  ['subagent-descripton-missing', 'subagent-description-missing'],
  ['description-missing', 'subagent-description-missing'],
  ['MODEL_MISSING', 'model-missing'],
  ['timeout', 'load-timeout'],
])('the nearest codes of %s begin with %s', async (code, nearest) => {
  const near = await nearestCodes(code)
  expect(near[0]).toBe(nearest)
  expect(near.length).toBeLessThanOrEqual(3)
})

test('what is near to no code has no nearest ones', async () => {
  expect(await nearestCodes('zebra')).toEqual([])
})
