import { z } from 'zod'

/** An id in a path, a query or a body. */
export const id: z.ZodString = z.string().min(1).max(1024)

export const agentParams: z.ZodObject<{ agentId: z.ZodString }> = z.strictObject({ agentId: id })
export const runParams: z.ZodObject<{ runId: z.ZodString }> = z.strictObject({ runId: id })
export const taskParams: z.ZodObject<{ taskId: z.ZodString }> = z.strictObject({ taskId: id })

/** A number in a query, which is text. */
function whole(most: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'it is a whole number')
    .transform(Number)
    .pipe(z.number().int().min(1).max(most))
}

export const limit: z.ZodType<number | undefined> = whole(1000).optional()
export const place: z.ZodType<number | undefined> = whole(999_999_999).optional()

/** Names for whom a request is, by those who see all; others may name themselves alone. */
export const resourceId: z.ZodOptional<z.ZodString> = id.optional()

const row = z.looseObject({ id: z.string() })
/** Rows of a page that something damaged. */
export const unreadable: z.ZodArray<typeof row> = z.array(row)
