import { statSync } from 'node:fs'
import { type Command, command, UsageError } from '../command.ts'
import { DevServer } from '../dev/dev-server.ts'
import { modelNameOf } from '../run/model-name.ts'
import { portOf } from '../serve/port.ts'
import { untilSignal } from '../serve/until-signal.ts'
import { wantsColors } from '../wants-colors.ts'

const dev: Command = command({
  name: 'dev',
  description: 'Serve a folder of agents, and take every change into it',
  args: {
    path: { type: 'positional', required: false, description: 'The project directory (default: the current one)' },
    port: {
      type: 'string',
      valueHint: 'port',
      description: 'Where to listen (default: PORT, else server.ts, else 4111 or the next that is free)',
    },
    host: {
      type: 'string',
      valueHint: 'host',
      description: 'At which address (default: HOST, else server.ts, else 127.0.0.1)',
    },
    model: {
      type: 'string',
      valueHint: 'provider/model',
      description: "Every agent's model (default: RETINUE_MODEL, else what each agent declares)",
    },
    dir: {
      type: 'string',
      valueHint: 'dir',
      description: 'The application directory (default: src/retinue, else src/mastra)',
    },
  },
  async run({ path = '.', port, host, model, dir }) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`there is no project directory "${path}"`)
    const wanted = portOf(port, '--port')
    const named = modelNameOf(model, '--model')
    // Slips are told before anything begins. Where there is a flag, a variable says nothing.
    if (wanted === undefined) portOf(process.env['PORT'], 'PORT')
    if (named === undefined) modelNameOf(process.env['RETINUE_MODEL'], 'RETINUE_MODEL')
    const controller = new AbortController()
    const server = new DevServer({
      path,
      dir,
      model: named,
      port: wanted,
      host,
      colors: wantsColors(process.stdout),
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      signal: controller.signal,
    })
    const asked = untilSignal(() => server.kill())
    void asked.then(() => controller.abort())
    await server.run()
    return asked
  },
})

export default dev
