import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RetinueError } from '@retinue/core/errors'
import { type Script, type ScriptedModels, scriptedModels } from '@retinue/core/testing'
import { parse } from 'yaml'

/** How a script is named where a model is: `offline/script:turns.yaml`. */
const PREFIX = 'offline/script:'

export function isScriptName(model: string): boolean {
  return model.startsWith(PREFIX)
}

/**
 * Reads the models of a script: turns by agent path, in YAML (`supervisor: [{ text: Done. }]`) or as the default export of a
 * TypeScript or JavaScript module, where a turn can be a function. Throws `model-invalid`, naming the file.
 */
export async function readScript(model: string, cwd: string): Promise<ScriptedModels> {
  const file = resolve(cwd, model.slice(PREFIX.length))
  const script = await contentOf(file)
  const problem = problemWith(script)
  if (problem !== undefined) throw invalid(file, problem)
  return scriptedModels(script as Script)
}

async function contentOf(file: string): Promise<unknown> {
  try {
    if (/^\.[cm]?[jt]s$/.test(extname(file))) {
      const module = (await import(pathToFileURL(file).href)) as { default?: unknown }
      return module.default
    }
    return parse(await readFile(file, 'utf8'))
  } catch (cause) {
    throw invalid(file, cause instanceof Error ? cause.message : String(cause), cause)
  }
}

const TURN_KEYS = new Set(['text', 'reasoning', 'calls', 'finish', 'usage', 'parts', 'after'])

function problemWith(script: unknown): string | undefined {
  if (typeof script !== 'object' || script === null || Array.isArray(script)) return 'it holds no turns by agent path'
  for (const [path, turns] of Object.entries(script)) {
    if (!Array.isArray(turns)) return `"${path}" is no list of turns`
    for (const [index, turn] of turns.entries()) {
      if (typeof turn === 'function' || turn instanceof Error) continue
      if (typeof turn !== 'object' || turn === null) return `turn ${index} of "${path}" is no turn`
      const unknown = Object.keys(turn).filter((key) => !TURN_KEYS.has(key))
      if (unknown.length > 0) return `turn ${index} of "${path}" has unknown keys: ${unknown.join(', ')}`
    }
  }
  return undefined
}

function invalid(file: string, why: string, cause?: unknown): RetinueError {
  return new RetinueError({
    code: 'model-invalid',
    message: `The script ${file} can't be played: ${why}.`,
    hint: 'Write turns by agent path: { "supervisor": [{ calls: [{ name, args }] }, { text }], "supervisor/researcher": [{ text }] }.',
    ...(cause === undefined ? {} : { cause }),
  })
}
