import { readFileSync } from 'node:fs'
import type { ToolModules } from '../adapters/tool-modules/tool-modules.ts'
import { loadToolFiles } from '../adapters/wrapped-tools/load.ts'
import type { Config } from '../config/config.ts'
import { lineOf } from '../config/locate.ts'
import { closest } from '../lib/suggest.ts'
import { BUILTIN_IDS } from '../tools/builtin/index.ts'
import { ROOM_TOOL_IDS } from '../tools/rooms/index.ts'
import { paths } from './paths.ts'

/**
 * What is wrong with `[tools] disabled`, with file and line: names that no tool has. Nothing where some `.tool` files or
 * modules cannot be read now, or modules are not loaded yet (`modules` is absent then), since one of them may have the
 * name. Never rejects.
 */
export async function unknownDisabled(
  { file, tools, mcp }: Config,
  modules?: Pick<ToolModules, 'tools' | 'problems'>,
): Promise<readonly string[]> {
  const { dirs, disabled } = tools
  if (disabled.length === 0 || file === undefined) return []
  if (tools.modules.length > 0 && (!modules || modules.problems().length > 0)) return []
  const inModules = modules?.tools().map(({ id }) => id) ?? []
  const loaded = await loadToolFiles([...dirs, paths.wrappedTools])
  if (loaded.problems.length > 0 || !loaded.complete) return []
  const known = [
    ...BUILTIN_IDS,
    ...ROOM_TOOL_IDS,
    ...inModules,
    ...loaded.definitions.map(({ name }) => name),
  ]
  const line = lineOf(readFileSync(file, 'utf8'), ['tools', 'disabled'])
  return (
    disabled
      // What a server has is known when it answers.
      .filter((id) => !known.includes(id) && !mcp.some(({ name }) => id.startsWith(`${name}_`)))
      .map((name) => `${file}:${line}: tools.disabled: there is no tool called ${name}${meant(name, known)}`)
  )
}

function meant(name: string, known: readonly string[]): string {
  const near = known.includes(`sshawl_${name}`) ? `sshawl_${name}` : closest(name, known)
  return near === undefined ? '' : `; did you mean ${near}?`
}
