import { readFileSync } from 'node:fs'
import { loadHostKeys, readNamedHostKeys, type HostKey } from '../adapters/ssh/keys/host-keys.ts'
import type { Config } from '../config/config.ts'
import { lineOf } from '../config/file.ts'
import { ConfigError } from '../config/environment.ts'

/** The keys of the config that say where the host keys are. */
type KeyedConfig = Pick<Config, 'server' | 'dataDir' | 'file'>

/** The keys that a server shows for all of its life. */
export interface HostKeys {
  readonly keys: readonly HostKey[]
  /** A line for people where a server with this config would show others. */
  unlike(written: KeyedConfig): Promise<readonly string[]>
}

/** Those that the config names, else that of the data directory, which is made. Rejects with `ConfigError` or `HostKeyError`. */
export async function openHostKeys(config: KeyedConfig): Promise<HostKeys> {
  const { host_keys: files } = config.server
  const named = await readNamedHostKeys(files)
  if (named.problems.length > 0) throw new ConfigError(located(named.problems, config))
  const keys = files.length > 0 ? named.keys : await loadHostKeys(config.dataDir)
  return {
    keys,
    async unlike(written) {
      const next = await readNamedHostKeys(written.server.host_keys)
      const isSame = next.keys.length > 0 ? shown(next.keys) === shown(keys) : files.length === 0
      return isSame ? [] : [`${place(written)}: server.host_keys needs a restart; the old ones stay`]
    },
  }
}

/** Their order says nothing to clients. */
const shown = (keys: readonly HostKey[]): string =>
  keys
    .map(({ fingerprint }) => fingerprint)
    .toSorted()
    .join(' ')

/** What is wrong with the host keys that a config names, with file and line. Never rejects. */
export async function hostKeyProblems(config: KeyedConfig): Promise<readonly string[]> {
  const { problems } = await readNamedHostKeys(config.server.host_keys)
  return located(problems, config)
}

const located = (problems: readonly string[], config: KeyedConfig): readonly string[] =>
  problems.map((problem) => `${place(config)}: server.host_keys: ${problem}`)

function place({ file = '' }: KeyedConfig): string {
  const text = file === '' ? '' : readFileSync(file, 'utf8')
  return `${file}:${lineOf(text, ['server', 'host_keys'])}`
}
