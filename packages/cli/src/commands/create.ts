import { relative } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { type Command, command, version } from '../command.ts'
import { createProject, DEFAULT_MODEL } from '../create/create-project.ts'
import { EXIT } from '../exit-codes.ts'

const create: Command = command({
  name: 'create',
  description: 'Make a new project: an assistant with two specialists, which works without a key',
  args: {
    name: { type: 'positional', required: true, description: 'The new folder; its name is what the project is called' },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: `The model of its agents (default: ${DEFAULT_MODEL})`,
    },
    yes: { type: 'boolean', alias: 'y', description: 'Ask nothing' },
  },
  async run({ name, model: given, yes }) {
    const model = given ?? (yes || !process.stdin.isTTY ? DEFAULT_MODEL : await askModel())
    const { folder, files, keys } = createProject({ path: name, model, version: version() })
    const place = relative(process.cwd(), folder) || '.'
    console.log(`Created ${place} with ${files.length} files.\n`)
    if (place !== '.') console.log(`  cd ${place}`)
    console.log('  npm install\n  npm run dev\n')
    if (keys.length > 0)
      console.log(
        `Set ${keys[0]} in .env for ${model}; without it offline/planner stands in, which is no language model.`,
      )
    return EXIT.ok
  },
})

export default create

async function askModel(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return (await terminal.question(`Which model do its agents use? (${DEFAULT_MODEL}) `)).trim() || DEFAULT_MODEL
  } finally {
    terminal.close()
  }
}
