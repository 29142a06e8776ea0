import { expect, test } from 'vitest'
import { outputArgs } from './output-args.ts'

test('B11.13 a started output takes a port and a host, and leaves no other argument unsaid', () => {
  expect(outputArgs([])).toEqual({})
  expect(outputArgs(['--port', '4947', '--host=::1'])).toEqual({ port: 4947, host: '::1' })
  for (const args of [['4947'], ['--prot', '4947'], ['--port']])
    expect(() => outputArgs(args)).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining('or PORT and HOST') }),
    )
  expect(() => outputArgs(['--port', 'http'])).toThrow('--port is "http", and a port is a number from 0 to 65535')
})
