import { counted } from '../../../lib/plural.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import type { McpAction } from './action.ts'
import type { ListedMcp, ListedTools } from './ports.ts'

/** `mcp list`: where each server stands. */
export const list: McpAction = async (servers, { flags, out }) => {
  const all = servers.list()
  if (flags.json) return out.line(safeJson(all.map(mcpJson)))
  out.line(
    all.length === 0
      ? 'there is no MCP server: name one in [[mcp]] of the config, or /mcp connect NAME URL-or-COMMAND'
      : all.map(mcpLine).join('\n'),
  )
}

/** As programs see a server. */
export const mcpJson = ({ name, state, why, tools, trust, at, by, login }: ListedMcp) => ({
  name,
  state,
  why,
  tools: tools.offered,
  withheld: tools.withheld,
  left_out: tools.leftOut,
  trust,
  login,
  at,
  from: by === null ? 'config' : 'command',
  by,
})

/** As people see it: `holler  up, 6 tools, 1 withheld; http://localhost:8080/…, by root`. */
export function mcpLine({ name, state, why, tools, at, by, login }: ListedMcp): string {
  const { offered, withheld, leftOut } = tools
  const facts = [
    why === null ? state : `${state} (${why})`,
    ...(state === 'up' ? [counted(offered, 'tool')] : []),
    ...(login === 'held' ? ['logged in'] : []),
    ...(leftOut.length > 0
      ? [
          `left out: ${leftOut.slice(0, MAX_LEFT_OUT).map(leftOutText).join(', ')}${leftOut.length > MAX_LEFT_OUT ? ', … (--json has them all)' : ''}`,
        ]
      : []),
    ...(withheld.length > 0
      ? [`${withheld.length} withheld: /mcp approve --show ${name} says how they changed`]
      : []),
  ]
  return `${name}  ${facts.join(', ')}; ${at}, ${by === null ? 'of the config' : `by ${by}`}`
}

/** So many are shown on a line. */
const MAX_LEFT_OUT = 3

const leftOutText = ({ name, why }: ListedTools['leftOut'][number]): string =>
  [name, `(${why})`].filter(Boolean).join(' ')
