import { RetinueError } from '@retinue/core/errors'
import { expect, test } from 'vitest'
import { exitCode } from './run-end.ts'

const error = (code: 'model-key-missing' | 'processor-stopped') => new RetinueError({ code, message: 'It is so.' })

test.each([
  ['stop', undefined, 0],
  ['bailed', undefined, 0],
  ['stop', error('processor-stopped'), 1],
  ['error', error('model-key-missing'), 3],
  ['length', undefined, 1],
  ['max-steps', undefined, 1],
  ['incomplete', undefined, 1],
  ['suspended', undefined, 5],
  ['aborted', undefined, 130],
] as const)(
  'B3.6 B1.10 the exit code of a run that ends with %s is what it stands for',
  (finishReason, error, code) => {
    expect(exitCode({ finishReason, error })).toBe(code)
  },
)
