import { Writable } from 'node:stream'

/** An output of readline that can be held back while something else is drawn. */
export class HidableOutput extends Writable {
  hidden = true
  readonly isTTY = true
  readonly #output: NodeJS.WriteStream

  constructor(output: NodeJS.WriteStream) {
    super({ decodeStrings: false })
    this.#output = output
    output.on('resize', () => this.emit('resize'))
  }

  get columns(): number {
    return this.#output.columns || 80
  }

  get rows(): number {
    return this.#output.rows || 24
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.hidden) this.#output.write(chunk)
    done()
  }
}
