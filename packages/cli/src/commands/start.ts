import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { OUTPUT_DIR, POINTER } from '../build/output-dir.ts'
import { type Command, command, UsageError } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { loadEnvFiles } from '../load-env.ts'
import { missingPackageText } from '../output/missing-package.ts'
import { portOf } from '../serve/port.ts'

/** What an output exports to those who start it in their own process. */
interface Output {
  main(options: { readonly port?: number; readonly host?: string; readonly strict: boolean }): Promise<number>
}

const start: Command = command({
  name: 'start',
  description: 'Serve what "retinue build" wrote, until it is asked to end',
  args: {
    path: { type: 'positional', required: false, description: 'The project directory (default: the current one)' },
    port: {
      type: 'string',
      valueHint: 'port',
      description: 'Where to listen (default: PORT, else server.ts, else 4111)',
    },
    host: {
      type: 'string',
      valueHint: 'host',
      description: 'At which address (default: HOST, else server.ts, else 127.0.0.1)',
    },
    output: { type: 'string', valueHint: 'dir', description: 'What to serve (default: .retinue/output)' },
  },
  async run({ path = '.', port: given, host, output }) {
    const folder = output === undefined ? join(resolve(path), OUTPUT_DIR) : resolve(output)
    const entry = join(folder, POINTER)
    if (!existsSync(entry))
      throw new UsageError(`there is nothing to start in "${folder}": build first, with "retinue build"`)
    const port = portOf(given, '--port')
    loadEnvFiles(resolve(path), process.env['NODE_ENV'] || 'production')
    process.env['NODE_ENV'] ??= 'production'
    process.setSourceMapsEnabled(true)
    const loaded = await import(pathToFileURL(entry).href).catch(
      (error: unknown) => missingPackageText(error, folder) ?? Promise.reject(error),
    )
    if (typeof loaded === 'string') {
      process.stderr.write(loaded)
      return EXIT.failed
    }
    const { main } = loaded as Output
    return main({ strict: true, ...(port === undefined ? {} : { port }), ...(host === undefined ? {} : { host }) })
  },
})

export default start
