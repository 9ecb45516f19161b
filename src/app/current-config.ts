import type { Config } from '../config/config.ts'

/** The config that is in force. Whoever is to follow a reload asks at each use, and keeps no value of it. */
export interface CurrentConfig {
  now(): Config
  /** `[limits]`: one object for the life of the server, each field of which is that of now. */
  readonly limits: Config['limits']
  /** Puts another config in force. */
  replace(next: Config): void
}

/** The one place that holds the config; the composition root gives it to what follows a reload. */
export function createCurrentConfig(first: Config): CurrentConfig {
  let config = first
  return {
    now: () => config,
    limits: new Proxy(first.limits, { get: (_, key): unknown => Reflect.get(config.limits, key) }),
    replace: (next) => void (config = next),
  }
}
