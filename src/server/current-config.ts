import { discoverOllamaModels } from '../models/index.ts'
import type { Config } from './config/config.ts'
import { modelsFound } from './config/models.ts'

/** The config in force. Code that must follow reloads calls `now` for each use and keeps no value. */
export interface CurrentConfig {
  now(): Config
  /** The same object for the server's lifetime. Its fields have the current values. */
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

/** Returns the configured models and, if `discoverModels` is set, those of an Ollama on this machine. */
export async function allModels({ models, discoverModels }: Config): Promise<Config['models']> {
  const names = new Set(models.map((model) => model.name))
  const found = discoverModels ? modelsFound(await discoverOllamaModels()) : []
  return [...models, ...found.filter((model) => !names.has(model.name))]
}
