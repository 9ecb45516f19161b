/**
 * Language models by their providers, with the AI SDK underneath. The list below is the one place where a provider
 * is named: the config's check, its types and the tests are made from it. This folder knows neither rooms nor tools:
 * it sends one request and gives out what came back.
 */
import { keysOf } from '../../lib/basics.ts'
import type { ModelSettings } from '../../prompt/model-settings.ts'
import type { LanguageModel } from '../../turns/ports.ts'
import { anthropic } from './anthropic.ts'
import { gemini } from './gemini.ts'
import { guide } from './guide.ts'
import { ollama } from './ollama.ts'
import { llamacpp, openai, openaiCompatible } from './openai.ts'
import { MODEL_LIMITS, type ModelAccess, type ModelLimits, type Provider } from './provider.ts'

/** Every provider there is, by the name of its `backend` in the config. */
export const PROVIDERS = {
  guide,
  ollama,
  llamacpp,
  'openai-compatible': openaiCompatible,
  openai,
  anthropic,
  gemini,
} satisfies Readonly<Record<string, Provider>>

/** The name of a provider. */
export type Backend = keyof typeof PROVIDERS

/** All names, in the order of the list. */
export const BACKENDS = keysOf(PROVIDERS)

/** A model as the config gives it: what the core knows of it, and how to reach it. */
export interface ModelConfig extends ModelSettings, ModelAccess {
  readonly backend: Backend
}

/** What is needed to reach a model of one of these providers. */
export type ReachedModel = ModelAccess & { readonly backend: Backend }

/** The adapter for a model; see `Provider.create`. It reads nothing from the environment. */
export function createModel(access: ReachedModel, limits: ModelLimits = MODEL_LIMITS): LanguageModel {
  return PROVIDERS[access.backend].create(access, limits)
}
