import { readFileSync } from 'node:fs'
import { loadHostKeys, readNamedHostKeys, type HostKey } from '../ssh/index.ts'
import type { Config } from './config/config.ts'
import { lineOf } from './config/file.ts'
import { ConfigError } from './config/environment.ts'

type HostKeyConfig = Pick<Config, 'server' | 'dataDir' | 'file'>

export interface HostKeys {
  readonly keys: readonly HostKey[]
  /** Resolves to a warning if the server would show other keys with the config `written`. */
  unlike(written: HostKeyConfig): Promise<readonly string[]>
}

/**
 * Returns the keys of the config, or else the key of the data directory, which is created. Rejects with
 * `ConfigError` or `HostKeyError`.
 */
export async function openHostKeys(config: HostKeyConfig): Promise<HostKeys> {
  const { host_keys: files } = config.server
  const named = await readNamedHostKeys(files)
  if (named.problems.length > 0) throw new ConfigError(located(named.problems, config))
  const keys = files.length > 0 ? named.keys : await loadHostKeys(config.dataDir)
  return {
    keys,
    async unlike(written) {
      const next = await readNamedHostKeys(written.server.host_keys)
      const isSame = next.keys.length > 0 ? shown(next.keys) === shown(keys) : files.length === 0
      return isSame ? [] : [`${place(written)}: server.host_keys needs a restart; the old keys stay`]
    },
  }
}

const shown = (keys: readonly HostKey[]): string =>
  keys
    .map(({ fingerprint }) => fingerprint)
    .toSorted()
    .join(' ')

/** Resolves to problems with file and line. Never rejects. */
export async function hostKeyProblems(config: HostKeyConfig): Promise<readonly string[]> {
  const { problems } = await readNamedHostKeys(config.server.host_keys)
  return located(problems, config)
}

const located = (problems: readonly string[], config: HostKeyConfig): readonly string[] =>
  problems.map((problem) => `${place(config)}: server.host_keys: ${problem}`)

function place({ file = '' }: HostKeyConfig): string {
  const text = file === '' ? '' : readFileSync(file, 'utf8')
  return `${file}:${lineOf(text, ['server', 'host_keys'])}`
}
