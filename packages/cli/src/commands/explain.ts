import { diagnosticPage, diagnosticPages, nearestCodes } from '@retinue/project'
import picocolors from 'picocolors'
import { type Command, command, UsageError } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { wantsColors } from '../wants-colors.ts'

const explain: Command = command({
  name: 'explain',
  description: 'Say what a code of check means, why it matters and how to mend it; without a code, list all of them',
  args: {
    code: { type: 'positional', required: false, description: 'The code, such as subagent-description-missing' },
    json: { type: 'boolean', description: 'Print { code, severity, summary, text }, or { codes: [...] }' },
  },
  async run({ code, json }) {
    if (code === undefined) return list(json === true)
    const page = await diagnosticPage(code)
    if (page === undefined) throw new UsageError(unknownCode(code, await nearestCodes(code)))
    console.log(json ? JSON.stringify(page, null, 2) : renderPage(page.text, wantsColors(process.stdout)))
    return EXIT.ok
  },
})

export default explain

async function list(json: boolean): Promise<number> {
  const codes = (await diagnosticPages()).map(({ code, severity, summary }) => ({ code, severity, summary }))
  const { red, yellow, bold } = picocolors.createColors(wantsColors(process.stdout))
  const width = Math.max(...codes.map(({ code }) => code.length))
  const lines = codes.map(({ code, severity, summary }) => {
    const paint = severity === 'error' ? red : yellow
    return `${paint(severity.padEnd('warning'.length))}  ${bold(code.padEnd(width))}  ${summary}`
  })
  console.log(json ? JSON.stringify({ codes }, null, 2) : lines.join('\n'))
  return EXIT.ok
}

function unknownCode(code: string, nearest: readonly string[]): string {
  const names = nearest.map((name) => `"${name}"`)
  const near = names.length === 0 ? '' : `; the nearest ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
  return `there is no code "${code}"${near}; "retinue explain" lists all of them`
}

/** Markdown reads well as it stands: only headings and fences get a shade. */
function renderPage(text: string, colors: boolean): string {
  const { bold, dim } = picocolors.createColors(colors)
  const lines = text.trimEnd().split('\n')
  return lines.map((line) => (line.startsWith('#') ? bold(line) : line.startsWith('```') ? dim(line) : line)).join('\n')
}
