import { z } from 'zod'
import { id } from '../schemas/common.ts'

/** What has no meaning for an agent, or none that changes its answer: taken, and not used. */
const unused = z.unknown().optional()

/** What is not supported, as clients send it that do not want it. */
const nothing = z.null({ error: 'it is not supported' }).optional()

/** What is checked later, so that what can't be chosen is answered with what can: `toolChoiceOf`. */
const toolChoice = z
  .union([z.string(), z.looseObject({ type: z.string() })])
  .nullish()
  .describe('`auto`, `none`, `required`, or one function of `tools`.')

const parameters = z.record(z.string(), z.unknown()).nullish()
const functionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/)

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: z.looseObject({ schema: parameters }) }),
])

/** What both protocols have. */
const shared = {
  model: id.describe('The id of an agent.'),
  stream: z.boolean().nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  user: unused,
  metadata: unused,
  service_tier: unused,
  parallel_tool_calls: unused,
  safety_identifier: unused,
  prompt_cache_key: unused,
  prompt_cache_retention: unused,
  prompt_cache_options: unused,
  moderation: nothing,
  top_logprobs: z.literal(0).nullish(),
  tool_choice: toolChoice,
}

export const completionBody = z.strictObject({
  ...shared,
  messages: z
    .array(z.looseObject({ role: z.string() }))
    .min(1)
    .max(10_000),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  seed: z.number().int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  n: z.literal(1).nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        function: z.looseObject({ name: functionName, description: z.string().nullish(), parameters }),
      }),
    )
    .max(128)
    .nullish()
    .describe('Functions that are yours to run, beside the tools of the agent.'),
  response_format: responseFormat.nullish(),
  // What other clients send as their defaults: it asks for nothing.
  frequency_penalty: z.literal(0).nullish(),
  presence_penalty: z.literal(0).nullish(),
  logit_bias: z.strictObject({}).nullish(),
  logprobs: z.literal(false).nullish(),
  reasoning_effort: unused,
  verbosity: unused,
  // It only makes an answer come sooner.
  prediction: unused,
  store: unused,
  modalities: z.array(z.literal('text', { error: 'only text is supported' })).nullish(),
  audio: nothing,
  web_search_options: nothing,
  functions: z.array(z.unknown()).max(0, { error: 'send them in tools' }).nullish(),
  function_call: z.enum(['auto', 'none'], { error: 'send tool_choice' }).nullish(),
})

export type CompletionBody = z.output<typeof completionBody>

export const responseBody = z.strictObject({
  ...shared,
  input: z.union([z.string().min(1), z.array(z.looseObject({})).min(1).max(10_000)]),
  instructions: z.string().nullish().describe('Told to the agent as your word: its own instructions are the server’s.'),
  store: z.boolean().nullish().describe('False: nothing of it is kept. Default: where the agent has a memory, it is.'),
  max_output_tokens: z.number().int().positive().nullish(),
  previous_response_id: id.nullish().describe('Goes on in the conversation of that answer.'),
  conversation: z
    .union([id, z.looseObject({ id })])
    .nullish()
    .describe('The thread.'),
  tools: z
    .array(
      z.looseObject({ type: z.literal('function'), name: functionName, description: z.string().nullish(), parameters }),
    )
    .max(128)
    .nullish(),
  text: z
    .looseObject({
      format: z
        .discriminatedUnion('type', [
          z.looseObject({ type: z.literal('text') }),
          z.looseObject({ type: z.literal('json_object') }),
          z.looseObject({ type: z.literal('json_schema'), schema: parameters }),
        ])
        .nullish(),
    })
    .nullish(),
  reasoning: unused,
  include: unused,
  truncation: unused,
  stream_options: unused,
  background: z.literal(false, { error: 'it is not supported' }).nullish(),
  background_options: nothing,
  context_management: nothing,
  image: nothing,
  max_tool_calls: nothing,
  prompt: nothing,
})

export type ResponseBody = z.output<typeof responseBody>
