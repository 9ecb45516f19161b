import { z } from 'zod'
import {
  BACKENDS,
  PROVIDERS,
  type ModelConfig,
  type KnownPictures,
  type ModelAccess,
  type RequiredKey,
  ownKeys,
} from '../../models/index.ts'
import { ENCODINGS } from '../../wrap/tokens/index.ts'
import { MODEL_NAME, MODEL_NAME_RULE, TO_ALL } from '../../words/names.ts'
import { MAX_PRICE, millionths } from '../../base/price.ts'
import { usualOutput } from '../../base/basics.ts'
import type { JsonObject } from '../../base/json.ts'
import type { Environment } from './environment.ts'
import { address, camelKeys, header, variable, valuesOf } from './values.ts'

/** A price per million tokens, converted to whole millionths, so that sums are exact. */
const rate = z
  .number('write a price per million tokens, such as 2.5')
  .min(0)
  .max(MAX_PRICE)
  .transform((value, context) => {
    const exact = millionths(value)
    if (exact !== undefined) return exact
    context.addIssue({ code: 'custom', message: 'write a price with at most 6 digits after the point' })
    return z.NEVER
  })

const price = z
  .strictObject({
    input: rate.describe('Input tokens.'),
    cached: rate
      .optional()
      .describe('Input tokens that the provider read from its cache; absent: as `input`.'),
    output: rate.describe('Output tokens.'),
  })
  .transform(({ input, cached = input, output }) => ({ input, cached, output }))
  .describe('Cost of a million tokens, for `/usage`; up to 6 digits after the point.')

/** docs.ollama.com/faq */
const keepAlive = z.union([
  z.int().min(-1),
  z
    .string()
    .regex(/^-?\d+(ms|s|m|h)$/, 'write seconds, or a time such as "10m"; -1 keeps the model for ever'),
])

const EFFORTS = ['low', 'medium', 'high'] as const

/** A table for the request. Must not have the keys that sshawl sends, which the prompt is counted for. */
const bodyTable = (path: string, instead: string) =>
  z.record(z.string(), z.unknown()).transform((table, { addIssue }) => {
    for (const key of ownKeys(table, path))
      addIssue({ code: 'custom', message: `${key} is what sshawl sends itself; ${instead}` })
    return table as JsonObject
  })

const modelFields = z.strictObject({
  name: z
    .string()
    .regex(MODEL_NAME, `use ${MODEL_NAME_RULE}`)
    .describe('What people write after `@`: 1-32 of `a-z 0-9 _ . -`.'),
  backend: z.enum(BACKENDS).describe('The program or company that runs the model.'),
  model: z.string().min(1).optional().describe("The provider's own name for the model, such as `qwen3:8b`."),
  endpoint: address('http://localhost:11434', 'api_key_env')
    .optional()
    .describe('The address of the server; optional if the backend has a default address.'),
  endpoint_is_whole: z
    .boolean()
    .default(false)
    .describe('`true`: requests go to exactly this `endpoint`, without an added path.'),
  api_key_env: variable('The environment variable with the API key.').optional(),
  header_env: z
    .record(header, variable(''))
    .optional()
    .describe('Further HTTP headers: each name with the environment variable that holds its value.'),
  api: z
    .enum(['chat', 'responses'])
    .optional()
    .describe('OpenAI only: `responses` is its Responses API, which some models need; absent: `chat`.'),
  context_window: z
    .int()
    .min(1)
    .max(100_000_000)
    .default(32_768)
    .describe('The context window of the model: tokens of prompt and answer together.'),
  max_output: z
    .int()
    .min(1)
    .max(10_000_000)
    .optional()
    .describe('Tokens kept free for the answer; absent: 4096, or a quarter of a small window.'),
  encoding: z
    .enum(ENCODINGS)
    .default('o200k_base')
    .describe('The tokenizer that counts tokens for this model.'),
  system_prompt: z
    .string()
    .max(100_000)
    .default('')
    .describe('The character of the model: an instruction in each of its prompts.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .optional()
    .describe('The sampling temperature: higher values make answers more random.'),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Nucleus sampling: the model chooses among the likeliest tokens of this total probability.'),
  seed: z.int().min(0).max(2_147_483_647).optional().describe('The seed of random numbers.'),
  stop: z
    .union([z.string().min(1), z.array(z.string().min(1)).max(16)])
    .optional()
    .describe('Texts that end an answer.'),
  effort: z
    .enum(EFFORTS)
    .optional()
    .describe('How much the model thinks before it answers; the values are the same for all backends.'),
  reasoning_effort: z
    .string()
    .min(1)
    .max(32)
    .optional()
    .describe('A value of its own for an OpenAI-style server, such as `minimal`; it overrides `effort`.'),
  think: z
    .union([z.boolean(), z.enum(EFFORTS)])
    .optional()
    .describe('Ollama only: whether the model thinks; it overrides `effort`.'),
  options: bodyTable('options.', 'use context_window and max_output')
    .optional()
    .describe('Ollama only: further options of the model, such as `{ top_k = 40 }`.'),
  extra_body: bodyTable('', 'leave it out, or use the key of the model for it')
    .optional()
    .describe(
      'Further fields of each request, as the provider defines them; they override all other settings.',
    ),
  keep_alive: keepAlive
    .optional()
    .describe(
      'Ollama only: time that the model stays in memory after a request, in seconds or as `"10m"`; `-1`: for ever.',
    ),
  price: price.optional(),
  fallback: z
    .string()
    .min(1)
    .optional()
    .describe('The model that is asked instead if this one fails before it writes text or calls a tool.'),
  tools: z
    .union([z.string(), z.array(z.string())])
    .default('all')
    .describe(
      'A scope for this model: it may use a tool only if this scope and that of the room show the tool.',
    ),
  images: z
    .boolean()
    .optional()
    .describe('Whether the model accepts pictures; absent: sshawl decides by provider and model.'),
  enabled: z.boolean().default(true).describe('`false` turns the model off and keeps the entry.'),
})

/** True unless the key is missing and the provider needs it. */
const hasRequired =
  (key: RequiredKey) =>
  (entry: z.output<typeof modelFields>): boolean =>
    entry[key] !== undefined || !PROVIDERS[entry.backend].required.includes(key)

/**
 * Tokens of the smallest prompt, measured (docs/wrap.md). With a quarter for the answer that is a window of
 * 500.
 */
const MIN_PROMPT = 375

/** Accepts an answer as long as the window, which is reported as another problem. */
function hasRoomForPrompt({
  context_window: window,
  max_output: answer = usualOutput(window),
}: ModelFields): boolean {
  return answer >= window || window - answer >= MIN_PROMPT
}

type ModelFields = z.output<typeof modelFields>

export const modelSchema = modelFields
  .refine((entry) => entry.name !== 'guide' || entry.backend === 'guide', {
    path: ['name'],
    message: '@guide is the helper that needs no network; choose another name',
  })
  .refine((entry) => !TO_ALL.includes(entry.name), {
    path: ['name'],
    message: 'a line with this @name rings everybody in the room; choose another name',
  })
  .refine(hasRequired('model'), {
    path: ['model'],
    message: 'say which model of the backend, such as "qwen3:8b"',
  })
  .refine(hasRoomForPrompt, {
    path: ['context_window'],
    message: `is too small: beside max_output (else a quarter of the window), a prompt needs at least ${MIN_PROMPT} tokens`,
  })
  .refine((entry) => (entry.max_output ?? 0) < entry.context_window, {
    path: ['max_output'],
    message: 'must be less than context_window: the answer is a part of it',
  })
  .refine(hasRequired('endpoint'), {
    path: ['endpoint'],
    message: 'say where the server is, such as "http://localhost:8000/v1"',
  })

export type ModelEntry = z.input<typeof modelSchema>

/** Adds `@guide`, which needs no entry. Reads keys from the environment by name. */
export function modelsFrom(
  entries: readonly z.output<typeof modelSchema>[],
  env: Environment,
): ModelConfig[] {
  const models =
    entries.length > 0
      ? entries.map((entry) => toModel(entry, env))
      : entriesWithKeys(env).map((entry) => toModel(modelSchema.parse(entry), env))
  const hasGuide = models.some((model) => model.name === GUIDE.name)
  return hasGuide ? models : [toModel(modelSchema.parse(GUIDE), env), ...models]
}

/** Skips names that are not allowed. */
export const modelsFound = (entries: readonly ModelEntry[]): ModelConfig[] =>
  entries.flatMap((entry) => {
    const { data } = modelSchema.safeParse(entry)
    return data ? [toModel(data, {})] : []
  })

const GUIDE = { name: 'guide', backend: 'guide' } as const satisfies ModelEntry

/** Returns an entry for each provider whose key is in the environment. */
const entriesWithKeys = (env: Environment): ModelEntry[] =>
  BACKENDS.flatMap((backend) => {
    const { usual } = PROVIDERS[backend]
    return usual && env[usual.api_key_env] ? [{ ...usual, backend }] : []
  })

function toModel(entry: ModelFields, env: Environment): ModelConfig {
  const { model = entry.name, max_output = usualOutput(entry.context_window), stop, ...rest } = entry
  const proxy = proxyFrom(env)
  const apiKey = entry.api_key_env === undefined ? undefined : env[entry.api_key_env]
  return {
    ...camelKeys({ ...rest, model, max_output }),
    framing: PROVIDERS[entry.backend].framing,
    ...picturesOf(PROVIDERS[entry.backend].pictures?.(model), entry.images),
    ...(entry.header_env ? { headers: valuesOf(entry.header_env, env).values } : {}),
    ...(stop === undefined ? {} : { stop: [stop].flat() }),
    ...(proxy ? { proxy } : {}),
    ...(apiKey === undefined ? {} : { apiKey }),
  }
}

/** The config goes before what is known of the model. */
const picturesOf = (
  { takes, rule }: KnownPictures = {},
  images = takes,
): Pick<ModelConfig, 'images' | 'pictureRule'> => ({
  ...(images === undefined ? {} : { images }),
  ...(rule ? { pictureRule: rule } : {}),
})

/** Reads the proxy variables that curl uses. Servers on this machine get no proxy. */
function proxyFrom(env: Environment): ModelAccess['proxy'] {
  const read = (name: string): string => env[name.toLowerCase()] || env[name] || ''
  const [httpProxy, httpsProxy] = [read('HTTP_PROXY'), read('HTTPS_PROXY')]
  if (httpProxy === '' && httpsProxy === '') return undefined
  const noProxy = [...read('NO_PROXY').split(/[\s,]+/), 'localhost', '127.0.0.1', '[::1]']
  return { httpProxy, httpsProxy, noProxy: noProxy.filter((host) => host !== '').join(',') }
}
