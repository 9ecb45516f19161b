import { discoverOllamaModels } from '../adapters/models/discover-ollama.ts'
import type { Config } from '../config/config.ts'
import { modelsFound } from '../config/models.ts'

/** The models of the config. If it names none, also those of an Ollama on this machine. */
export async function allModels({ models, discoverModels }: Config): Promise<Config['models']> {
  const taken = new Set(models.map((model) => model.name))
  const found = discoverModels ? modelsFound(await discoverOllamaModels()) : []
  return [...models, ...found.filter((model) => !taken.has(model.name))]
}
