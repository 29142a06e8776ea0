import { relative } from 'node:path'
import { type Command, command, version } from '../command.ts'
import { askModel } from '../create/ask-model.ts'
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
    const model = given ?? (yes || !process.stdin.isTTY ? DEFAULT_MODEL : await askModel(process.stdin, process.stderr))
    if (model === undefined) {
      console.error('\nNothing was made.')
      return EXIT.interrupted
    }
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
