import { discoverOllamaModels } from '../adapters/models/discover-ollama.ts'
import type { Config } from '../config/config.ts'
import { modelsFound } from '../config/models.ts'

/** The config in force. Code that follows reloads asks at each use and keeps no value. */
export interface CurrentConfig {
  now(): Config
  /** One object for the life of the server, whose fields have the current values. */
  readonly limits: Config['limits']
  replace(next: Config): void
}

export function createCurrentConfig(first: Config): CurrentConfig {
  let config = first
  return {
    now: () => config,
    limits: new Proxy(first.limits, { get: (_, key): unknown => Reflect.get(config.limits, key) }),
    replace: (next) => void (config = next),
  }
}

/** If the config names no model, also those of an Ollama on this machine. */
export async function allModels({ models, discoverModels }: Config): Promise<Config['models']> {
  const names = new Set(models.map((model) => model.name))
  const found = discoverModels ? modelsFound(await discoverOllamaModels()) : []
  return [...models, ...found.filter((model) => !names.has(model.name))]
}
