import { deep } from '../test-support/core.ts'
import { jsonTorture } from '../test-support/properties/json-torture.ts'
import { LibSQLStore } from './libsql-store.ts'

deep(jsonTorture(new LibSQLStore({ id: 's', url: ':memory:' })), 5_000)
