import { RetinueError } from '../errors/retinue-error.ts'
import { LONGEST_TIMER_MS } from '../shared/longest-timer.ts'
import { isObject } from '../shared/records.ts'
import type { Schema } from './schema.ts'
import { TOOL_BRAND, type Tool, type ToolBackground, type ToolOptions } from './tool.ts'

const OPTIONS = new Set([
  'id',
  'description',
  'inputSchema',
  'outputSchema',
  'suspendSchema',
  'resumeSchema',
  'requireApproval',
  'toModelOutput',
  'idempotent',
  'version',
  'background',
  'execute',
])

/**
 * Makes a tool. `execute(input, context)` gets arguments that fit `inputSchema`; what it throws reaches the model as an error
 * result, and the run goes on. Throws `tool-invalid` for what is no tool.
 */
export function createTool<I extends Schema | undefined = undefined, Output = unknown>(
  options: ToolOptions<I, Output>,
): ToolOptions<I, Output> & Tool {
  const problem = problemWith(options)
  if (problem) throw new RetinueError({ code: 'tool-invalid', ...problem })
  const tool = { ...options }
  Object.defineProperty(tool, TOOL_BRAND, { value: true })
  return tool as ToolOptions<I, Output> & Tool
}

function problemWith(options: unknown): { message: string; hint: string } | undefined {
  if (!isObject(options))
    return { message: 'createTool takes an object.', hint: 'createTool({ id, description, inputSchema, execute })' }
  const { id, execute, description, background } = options
  if (typeof id !== 'string' || id === '')
    return { message: 'A tool needs an id.', hint: "Give it one: createTool({ id: 'search', … })" }
  if (execute !== undefined && typeof execute !== 'function') {
    return {
      message: `The tool "${id}" has an execute that is no function.`,
      hint: 'execute: async (input, context) => …',
    }
  }
  if (description !== undefined && typeof description !== 'string') {
    return {
      message: `The tool "${id}" has a description that is no text.`,
      hint: 'Say in a sentence what the tool does.',
    }
  }
  if (!isBackground(background)) {
    return {
      message: `The tool "${id}" has a background that is none.`,
      hint: 'background: true, or { timeoutMs: 60_000, maxRetries: 1 }',
    }
  }
  const isOff = isObject(background) && background['enabled'] === false
  if (background && !isOff && !execute) {
    return {
      message: `The tool "${id}" has a background, and no execute: its client runs it.`,
      hint: 'Give it an execute, or leave background out.',
    }
  }
  const unknown = Object.keys(options).filter((key) => !OPTIONS.has(key))
  if (unknown.length > 0) {
    return {
      message: `The tool "${id}" has options that are not known: ${unknown.join(', ')}.`,
      hint: `Known are ${[...OPTIONS].join(', ')}.`,
    }
  }
  return undefined
}

const BACKGROUND: Readonly<Record<keyof ToolBackground, (value: unknown) => boolean>> = {
  enabled: (value) => typeof value === 'boolean',
  timeoutMs: (value) => isWhole(value, 1, LONGEST_TIMER_MS),
  maxRetries: (value) => isWhole(value, 0, 100),
  detached: (value) => typeof value === 'boolean',
  modelMayChoose: (value) => typeof value === 'boolean',
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= least && (value as number) <= most
}

function isBackground(background: unknown): boolean {
  if (background === undefined || typeof background === 'boolean') return true
  if (!isObject(background)) return false
  return Object.entries(background).every(([name, value]) => {
    if (!Object.hasOwn(BACKGROUND, name)) return false
    return value === undefined || BACKGROUND[name as keyof ToolBackground](value)
  })
}
