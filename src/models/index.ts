/** Language models behind one port: providers, their dialects and refusals. Knows no room and no turn. */
export { discoverOllamaModels } from './discover-ollama.ts'
export { findHelp } from './guide-answers.ts'
export type { DescribedCommand, GuidePlace } from './guide-place.ts'
export { createGuide } from './guide.ts'
export type { KnownPictures, ModelAccess, RequiredKey, SettingKey } from './provider.ts'
export { BACKENDS, type ModelConfig, PROVIDERS, type ReachedModel, createModel } from './providers.ts'
export { ownKeys } from './settings.ts'
