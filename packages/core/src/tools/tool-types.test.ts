import { expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { createTool } from './index.ts'

// The compiler is what is tested: `npm run typecheck` fails where an argument is not what its schema says.
test('B1.9 what `execute` and `requireApproval` get is what the schema gives, after its defaults', () => {
  createTool({
    id: 't',
    inputSchema: z.object({ query: z.string(), limit: z.number().default(5) }),
    requireApproval: (input) => {
      expectTypeOf(input).toEqualTypeOf<{ query: string; limit: number }>()
      return input.limit > 5
    },
    execute: (input, { abortSignal }) => {
      expectTypeOf(input).toEqualTypeOf<{ query: string; limit: number }>()
      expectTypeOf(abortSignal).toEqualTypeOf<AbortSignal>()
      // @ts-expect-error a field that is not there
      return input.qery
    },
  })
})

test('B1.9 without a schema, and with a plain JSON Schema, the fields are unknown', () => {
  createTool({ id: 't', execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>() })
  const inputSchema = { type: 'object' } as const
  createTool({ id: 't', inputSchema, execute: (input) => expectTypeOf(input).toEqualTypeOf<Record<string, unknown>>() })
})

test('B1.9 what the model is shown is made of what `execute` gives', () => {
  createTool({
    id: 't',
    execute: async () => ({ found: 3 }),
    toModelOutput: (output) => {
      expectTypeOf(output).toEqualTypeOf<{ found: number }>()
      return output.found
    },
  })
})
