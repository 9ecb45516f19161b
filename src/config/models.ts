import type { ModelConfig } from '../adapters/models/config.ts'
import type { FileConfig, ModelEntry } from './schema.ts'

/** The helper that is always there. */
export const GUIDE = 'guide'

/** The models of a file, and `@guide`, which needs none. Keys come from the environment, by name. */
export function modelsFrom(
  file: FileConfig,
  env: Readonly<Record<string, string | undefined>>,
): ModelConfig[] {
  const written = file.models.length > 0 ? file.models.map((entry) => toModel(entry, env)) : fromKeys(env)
  return written.some((model) => model.name === GUIDE) ? written : [guide(), ...written]
}

function toModel(entry: ModelEntry, env: Readonly<Record<string, string | undefined>>): ModelConfig {
  const key = entry.api_key_env === undefined ? undefined : env[entry.api_key_env]
  return {
    name: entry.name,
    backend: entry.backend,
    model: entry.model ?? entry.name,
    contextWindow: entry.context_window,
    maxOutput: entry.max_output ?? usualOutput(entry.context_window),
    encoding: entry.encoding,
    systemPrompt: entry.system_prompt,
    tools: entry.tools,
    enabled: entry.enabled,
    ...(entry.endpoint === undefined ? {} : { endpoint: entry.endpoint }),
    ...(entry.api_key_env === undefined ? {} : { apiKeyEnv: entry.api_key_env }),
    ...(key === undefined ? {} : { apiKey: key }),
  }
}

/** With nothing written, a provider's key in the environment is enough to have its usual model. */
const USUAL = [
  { key: 'OPENAI_API_KEY', name: 'gpt', backend: 'openai', model: 'gpt-4.1', window: 128_000 },
  {
    key: 'ANTHROPIC_API_KEY',
    name: 'claude',
    backend: 'anthropic',
    model: 'claude-sonnet-4-5',
    window: 200_000,
  },
  { key: 'GEMINI_API_KEY', name: 'gemini', backend: 'gemini', model: 'gemini-2.5-flash', window: 128_000 },
] as const

const fromKeys = (env: Readonly<Record<string, string | undefined>>): ModelConfig[] =>
  USUAL.flatMap(({ key, name, backend, model, window }) => {
    const apiKey = env[key]
    if (!apiKey) return []
    return { ...guide(), name, backend, model, contextWindow: window, apiKey, apiKeyEnv: key }
  })

const guide = (): ModelConfig => ({
  name: GUIDE,
  backend: 'guide',
  model: GUIDE,
  contextWindow: 32_768,
  maxOutput: 4_096,
  encoding: 'o200k_base',
  systemPrompt: '',
  tools: 'all',
  enabled: true,
})

/** A small window keeps a quarter of itself for the answer. */
const usualOutput = (window: number): number => Math.min(4_096, Math.floor(window / 4))
