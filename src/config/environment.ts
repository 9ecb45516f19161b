import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { CommandLine, FlagName } from './flags.ts'

/** The process's environment, or what a test puts in its place. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A value with its origin, which error messages name. */
export interface Given {
  readonly value: string
  /** A flag or a variable. */
  readonly from: string
}

/** Looks a setting up. A flag wins over a variable; an empty variable counts as absent. */
export const givenBy =
  (flags: CommandLine['flags'], env: Environment) =>
  (flag: FlagName, variable: string): Given | undefined => {
    const onLine = flags[flag]
    if (onLine !== undefined) return { value: onLine, from: `--${flag}` }
    const value = env[variable]
    return value ? { value, from: variable } : undefined
  }

/** The config file: the one that was named, or the usual one if it is there. */
export function configPath(given: Given | undefined, env: Environment): string | undefined {
  if (given) return resolve(given.value)
  const usual = usualConfigPath(env)
  return existsSync(usual) ? usual : undefined
}

/** Where the config file is if nobody names another. */
export const usualConfigPath = (env: Environment): string =>
  join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'sshawl', 'sshawl.toml')

/** The data directory: the one that was named, or the usual one. */
export const dataPath = (given: Given | undefined, env: Environment): string =>
  resolve(given?.value ?? join(env['XDG_DATA_HOME'] || join(home(env), '.local', 'share'), 'sshawl'))

const home = (env: Environment): string => env['HOME'] || homedir()
