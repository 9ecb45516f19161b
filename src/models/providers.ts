// Language models by provider. Only the list below names providers; the config's check, types and tests are
// derived from it. This folder sends one request and yields its answer; it knows no rooms and no tools.
import { keysOf } from '../base/basics.ts'
import type { ModelSettings } from '../wrap/index.ts'
import type { LanguageModel } from '../wrap/loop/index.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { guide } from './guide.ts'
import { ollama } from './ollama.ts'
import { llamacpp, openai, openaiCompatible } from './openai.ts'
import { MODEL_LIMITS, type ModelAccess, type ModelLimits, type Provider } from './provider.ts'

export const PROVIDERS = {
  guide,
  ollama,
  llamacpp,
  'openai-compatible': openaiCompatible,
  openai,
  anthropic,
  gemini,
} satisfies Readonly<Record<string, Provider>>

export type Backend = keyof typeof PROVIDERS

export const BACKENDS = keysOf(PROVIDERS)

export interface ModelConfig extends ModelSettings, ModelAccess {
  readonly backend: Backend
}

export type ReachedModel = ModelAccess & { readonly backend: Backend }

/** Reads nothing from the environment. Throws as `Provider.create` does. */
export const createModel = (access: ReachedModel, limits: ModelLimits = MODEL_LIMITS): LanguageModel =>
  PROVIDERS[access.backend].create(access, limits)
