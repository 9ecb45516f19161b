import type { z } from 'zod'
import { BACKENDS, PROVIDERS, type ModelConfig } from '../adapters/models/index.ts'
import { usualOutput } from '../lib/usual-output.ts'
import type { Environment } from './environment.ts'
import { modelSchema, type FileConfig } from './schema.ts'

/** An entry of `[[models]]` as it may be written. */
export type ModelEntry = z.input<typeof modelSchema>

/** The models of `[[models]]`, and `@guide`, which needs none. Keys come from the environment, by name. */
export function modelsFrom(entries: FileConfig['models'], env: Environment): ModelConfig[] {
  const written =
    entries.length > 0
      ? entries.map((entry) => toModel(entry, env))
      : withKeysIn(env).map((entry) => toModel(modelSchema.parse(entry), env))
  const hasGuide = written.some((model) => model.name === GUIDE.name)
  return hasGuide ? written : [toModel(modelSchema.parse(GUIDE), env), ...written]
}

/** Models that were found on this machine, with the defaults of the file. One with a name that is not allowed is left out. */
export const modelsFound = (entries: readonly ModelEntry[]): ModelConfig[] =>
  entries.flatMap((entry) => {
    const { data } = modelSchema.safeParse(entry)
    return data ? [toModel(data, {})] : []
  })

/** The built-in helper, which needs no entry. */
const GUIDE = { name: 'guide', backend: 'guide' } as const satisfies ModelEntry

/** The usual model of each provider whose key is in the environment. */
const withKeysIn = (env: Environment): ModelEntry[] =>
  BACKENDS.flatMap((backend) => {
    const { usual } = PROVIDERS[backend]
    return usual && env[usual.api_key_env] ? [{ ...usual, backend }] : []
  })

/** Keys that are not named here have the same name in the file and in the code. */
function toModel(entry: z.output<typeof modelSchema>, env: Environment): ModelConfig {
  const {
    api_key_env: apiKeyEnv,
    context_window: contextWindow,
    max_output: maxOutput = usualOutput(contextWindow),
    system_prompt: systemPrompt,
    keep_alive: keepAlive,
    fallback,
    price,
    endpoint,
    model = entry.name,
    ...rest
  } = entry
  const apiKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]
  return {
    ...rest,
    model,
    contextWindow,
    maxOutput,
    systemPrompt,
    framing: PROVIDERS[entry.backend].framing,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(keepAlive === undefined ? {} : { keepAlive }),
    ...(fallback === undefined ? {} : { fallback }),
    ...(price === undefined ? {} : { price }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(apiKey === undefined ? {} : { apiKey }),
  }
}
