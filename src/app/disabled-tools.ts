import { readFileSync } from 'node:fs'
import { loadToolFiles } from '../adapters/wrapped-tools/load.ts'
import type { Config } from '../config/config.ts'
import { lineOf } from '../config/locate.ts'
import { closest } from '../lib/suggest.ts'
import { BUILTIN_IDS } from '../tools/builtin/index.ts'
import { ROOM_TOOL_IDS } from '../tools/rooms/index.ts'
import { paths } from './paths.ts'

/**
 * What is wrong with `[tools] disabled`, with file and line: names that no tool has. Nothing where some `.tool` files
 * cannot be read now, since one of them may have the name. Never rejects.
 */
export async function unknownDisabled({ file, tools }: Config): Promise<readonly string[]> {
  const { dirs, disabled } = tools
  if (disabled.length === 0 || file === undefined) return []
  const loaded = await loadToolFiles([...dirs, paths.wrappedTools])
  if (loaded.problems.length > 0) return []
  const known = [...BUILTIN_IDS, ...ROOM_TOOL_IDS, ...loaded.definitions.map(({ name }) => name)]
  const line = lineOf(readFileSync(file, 'utf8'), ['tools', 'disabled'])
  return disabled
    .filter((name) => !known.includes(name))
    .map((name) => `${file}:${line}: tools.disabled: there is no tool called ${name}${meant(name, known)}`)
}

function meant(name: string, known: readonly string[]): string {
  const near = known.includes(`sshawl_${name}`) ? `sshawl_${name}` : closest(name, known)
  return near === undefined ? '' : `; did you mean ${near}?`
}
