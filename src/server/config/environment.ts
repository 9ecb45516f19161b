import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

/** Thrown for an invalid environment, flag or file; `message` says where and what to write. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  /** One line per problem; the first is the message. */
  readonly problems: readonly string[]
  constructor(problems: readonly string[]) {
    super(problems[0] ?? 'the configuration cannot be used')
    this.problems = problems
  }
}

/** A value with its flag or variable, for errors. */
export interface Setting {
  readonly value: string
  readonly from: string
}

/** A flag overrides a variable; an empty variable counts as absent. */
export const settingsOf =
  <Name extends string>(flags: { readonly [Flag in Name]?: string }, env: Environment) =>
  (flag: Name, variable: string): Setting | undefined => {
    const onLine = flags[flag]
    if (onLine !== undefined) return { value: onLine, from: `--${flag}` }
    const value = env[variable]
    return value ? { value, from: variable } : undefined
  }

export function configPath(setting: Setting | undefined, env: Environment): string | undefined {
  if (setting) return resolve(setting.value)
  const path = defaultConfigPath(env)
  return existsSync(path) ? path : undefined
}

export const defaultConfigPath = (env: Environment): string =>
  join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'sshawl', 'sshawl.toml')

export const dataPath = (setting: Setting | undefined, env: Environment): string =>
  resolve(setting?.value ?? join(env['XDG_DATA_HOME'] || join(home(env), '.local', 'share'), 'sshawl'))

const home = (env: Environment): string => env['HOME'] || homedir()
