import type { z } from 'zod'
import { BACKENDS, PROVIDERS, type ModelConfig } from '../adapters/models/index.ts'
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

/** Models that were found on this machine, as if they were written. One whose name cannot be used is left out. */
export const modelsFound = (entries: readonly ModelEntry[]): ModelConfig[] =>
  entries.flatMap((entry) => {
    const { data } = modelSchema.safeParse(entry)
    return data ? [toModel(data, {})] : []
  })

/** The helper that is always there. */
const GUIDE = { name: 'guide', backend: 'guide' } as const satisfies ModelEntry

/** With nothing written, a provider's key in the environment is enough to have its usual model. */
const withKeysIn = (env: Environment): ModelEntry[] =>
  BACKENDS.flatMap((backend) => {
    const { usual } = PROVIDERS[backend]
    return usual && env[usual.api_key_env] ? [{ ...usual, backend }] : []
  })

/** What is not named here has one name in the file and in the code. */
function toModel(entry: z.output<typeof modelSchema>, env: Environment): ModelConfig {
  const {
    api_key_env: apiKeyEnv,
    context_window: contextWindow,
    max_output: maxOutput = usualOutput(contextWindow),
    system_prompt: systemPrompt,
    endpoint,
    model = entry.name,
    ...rest
  } = entry
  const apiKey = apiKeyEnv === undefined ? undefined : env[apiKeyEnv]
  return {
    ...rest,
    ...{ model, contextWindow, maxOutput, systemPrompt },
    framing: PROVIDERS[entry.backend].framing,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(apiKey === undefined ? {} : { apiKey }),
  }
}

/** Tokens kept for the answer where nothing is written: a small window keeps a quarter of itself. */
const usualOutput = (window: number): number => Math.min(4_096, Math.floor(window / 4))
