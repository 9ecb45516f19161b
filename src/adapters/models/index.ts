import type { LanguageModel } from '../../turns/ports.ts'
import type { Backend } from '../../prompt/model-settings.ts'
import { anthropicModel } from './anthropic.ts'
import { MODEL_LIMITS, type ModelConfig, type ModelLimits } from './config.ts'
import { geminiModel } from './gemini.ts'
import { guideModel } from './guide.ts'
import { openaiCompatibleModel } from './openai-compatible.ts'
import { openaiModel } from './openai.ts'

type ModelFactory = (config: ModelConfig, limits: ModelLimits) => LanguageModel

/** Every backend there is. A new one is a line here, a name in `Backend`, and a file. */
const backends: { readonly [Name in Backend]: ModelFactory } = {
  guide: guideModel,
  ollama: openaiCompatibleModel('http://localhost:11434', 'is ollama running?'),
  llamacpp: openaiCompatibleModel('http://localhost:8080', 'is llama-server running?'),
  'openai-compatible': openaiCompatibleModel(undefined, 'is its server running?'),
  openai: openaiModel,
  anthropic: anthropicModel,
  gemini: geminiModel,
}

/**
 * The adapter for a configured model. Nothing is sent until it is asked to stream.
 * Throws an `Error` whose message says what to write instead, when the endpoint is missing or not a URL.
 */
export function createModel(config: ModelConfig, limits: ModelLimits = MODEL_LIMITS): LanguageModel {
  return backends[config.backend](config, limits)
}
