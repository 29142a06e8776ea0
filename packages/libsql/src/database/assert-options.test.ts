import { isRetinueError } from '@retinue/core/errors'
import { describe, expect, test } from 'vitest'
import { LibSQLStore } from '../libsql-store.ts'
import { LibSQLVector } from '../libsql-vector.ts'

const id = 'app'
const url = 'file:./x.db'

for (const Store of [LibSQLStore, LibSQLVector]) {
  const made = (options: unknown): unknown => {
    try {
      return new Store(options as never)
    } catch (error) {
      return error
    }
  }

  describe(`${Store.name}: options that make no store are typed errors, before anything is opened`, () => {
    for (const [given, code, names] of [
      [undefined, 'option-invalid', 'options'],
      ['file:./x.db', 'option-invalid', 'options'],
      [{ url }, 'option-invalid', '`id`'],
      [{ id: '', url }, 'option-invalid', '`id`'],
      [{ id }, 'option-invalid', '`url`'],
      [{ id, url: new URL('file:///x.db') }, 'option-invalid', '`url`'],
      [{ id, url: './x.db' }, 'option-invalid', 'must begin with `file:`'],
      [{ id, url: '/data/x.db' }, 'option-invalid', 'must begin with `file:`'],
      [{ id, url: 'C:\\data\\x.db' }, 'option-invalid', 'must begin with `file:`'],
      [{ id, url: 'file:' }, 'option-invalid', 'names no database'],
      [{ id, url: 'libsql://' }, 'option-invalid', 'names no database'],
      [{ id, url: 'postgres://ada:s3cret@db.example/app' }, 'option-invalid', '`postgres:`'],
      [{ id, url, filename: 'x.db' }, 'option-unknown', 'filename'],
      [{ id, url, toString: 1 }, 'option-unknown', 'toString'],
    ] as const) {
      test(`${JSON.stringify(given)}: ${code}, naming ${names}`, () => {
        const error = made(given)
        if (!isRetinueError(error)) throw new Error('it was taken')
        expect(error).toMatchObject({ code, message: expect.stringContaining(names) })
        expect(error.hint).toContain("url: 'file:./x.db'")
        expect(JSON.stringify([error, error.data])).not.toContain('s3cret')
      })
    }

    for (const [option, value] of [
      ['authToken', 1],
      ['lockTimeoutMs', '5s'],
      ['lockTimeoutMs', -1],
      ['wrapClient', {}],
    ] as const) {
      test(`${option}: ${JSON.stringify(value)}`, () => {
        expect(made({ id, url, [option]: value })).toMatchObject({ code: 'option-invalid', data: { option } })
      })
    }

    for (const good of [
      url,
      'file:x.db',
      'file:///data/x.db',
      'file:.retinue/data/app.db?mode=ro',
      ':memory:',
      'file::memory:',
      'libsql://app.example',
      'https://app.example',
      'http://127.0.0.1:8080',
      'wss://app.example',
      'ws://127.0.0.1:8080',
    ])
      test(`${good} is taken`, () =>
        expect(made({ id, url: good, authToken: 'x', lockTimeoutMs: 0 })).toBeInstanceOf(Store))
  })
}
