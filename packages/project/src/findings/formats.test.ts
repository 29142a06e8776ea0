import { expect, test } from 'vitest'
import type { DetailedFinding } from './finding.ts'
import { renderGithub } from './render-github.ts'
import { toSarif } from './to-sarif.ts'

const finding = (more: Partial<DetailedFinding> = {}): DetailedFinding => ({
  code: 'subagent-description-missing',
  severity: 'error',
  message: 'subagent "writer" has no description',
  file: 'src/retinue/agents/sup/config.ts',
  line: 3,
  column: 16,
  agentPath: ['sup', 'writer'],
  fix: "write description: 'Use to …'",
  why: 'the parent reads it',
  excerpt: { text: 'export default agentConfig({', length: 11 },
  ...more,
})

const whole = (): DetailedFinding => {
  const { excerpt: _, ...rest } = finding({
    severity: 'warning',
    code: 'entry-ignored',
    agentPath: [],
    file: 'a b/ü#.ts',
  })
  return { ...rest, line: 1, column: 1 }
}

test('B11.11 GitHub: one command a finding, with its place and all of its words', () => {
  expect(renderGithub([finding(), whole()], (file) => `apps/x/${file}`)).toBe(
    `::error file=apps/x/src/retinue/agents/sup/config.ts,line=3,col=16,endColumn=27,title=subagent-description-missing::subagent "writer" has no description%0Awhy: the parent reads it%0Afix: write description: 'Use to …'
::warning file=apps/x/a b/ü#.ts,title=entry-ignored::subagent "writer" has no description%0Awhy: the parent reads it%0Afix: write description: 'Use to …'`,
  )
})

test('B11.11 GitHub: what the runner takes for a sign of its own is escaped, so that no file name makes a command', () => {
  const hostile = finding({ message: '100%\r\n::set-output name=x::y', file: 'a,b:c%\n::error::d.ts' })
  const text = renderGithub([hostile], (file) => file)
  expect(text.split('\n')).toHaveLength(1)
  expect(text).toContain('file=a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ad.ts,line=3')
  expect(text).toContain('::100%25%0D%0A::set-output name=x::y%0Awhy')
})

test('B11.11 a span ends with its line, and is never empty', () => {
  const long = finding({ excerpt: { text: 'export default agentConfig({', length: 400 } })
  const empty = finding({ column: 29, excerpt: { text: 'export default agentConfig({', length: 0 } })
  const columns = [...renderGithub([long, empty], String).matchAll(/col=(\d+),endColumn=(\d+)/g)]
  expect(columns.map(([, start, end]) => [start, end])).toEqual([
    ['16', '29'],
    ['29', '30'],
  ])
})

const page = { code: 'entry-ignored', summary: 'It is ignored.', text: '# entry-ignored\n' }

test('B11.11 SARIF 2.1.0: the log, word for word', () => {
  const log = toSarif([finding(), whole()], { version: '1.2.3', rules: [page], pathOf: (file) => `apps/${file}` })
  expect(JSON.parse(JSON.stringify(log))).toEqual({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'retinue',
            semanticVersion: '1.2.3',
            rules: [
              {
                id: 'entry-ignored',
                shortDescription: { text: 'It is ignored.' },
                help: { text: '# entry-ignored\n', markdown: '# entry-ignored\n' },
                defaultConfiguration: { level: 'warning' },
              },
              {
                id: 'subagent-description-missing',
                shortDescription: { text: 'subagent-description-missing' },
                help: { text: 'subagent-description-missing' },
                defaultConfiguration: { level: 'error' },
              },
            ],
          },
        },
        columnKind: 'utf16CodeUnits',
        results: [
          {
            ruleId: 'subagent-description-missing',
            ruleIndex: 1,
            level: 'error',
            message: { text: `subagent "writer" has no description\nFix: write description: 'Use to …'` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: 'apps/src/retinue/agents/sup/config.ts' },
                  region: { startLine: 3, startColumn: 16, endColumn: 27 },
                },
                logicalLocations: [{ fullyQualifiedName: 'sup/writer' }],
              },
            ],
          },
          {
            ruleId: 'entry-ignored',
            ruleIndex: 0,
            level: 'warning',
            message: { text: `subagent "writer" has no description\nFix: write description: 'Use to …'` },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'apps/a%20b/%C3%BC%23.ts' } } }],
          },
        ],
      },
    ],
  })
})

test('B11.11 SARIF of nothing is a log without results', () => {
  const { runs } = toSarif([], { version: '1.2.3', rules: [], pathOf: String }) as { runs: unknown[] }
  expect(runs).toMatchObject([{ tool: { driver: { name: 'retinue', rules: [] } }, results: [] }])
})
