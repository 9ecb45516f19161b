import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { isJsonList, isJsonObject, type JsonObject } from '../../../lib/json.ts'
import { jsonOf, textAt } from './outcome.ts'
import type { Agent } from './ports.ts'

/** The rooms that an agent may read, as `rooms --json` has them: whoever is only invited to one reads nothing of it. */
export async function visibleRooms(agent: Agent, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const outcome = await agent.run({ verb: 'rooms', flags: { json: true } }, { signal })
  if (!outcome.ok) throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.told)
  const rooms = jsonOf(outcome)
  return isJsonList(rooms) ? rooms.filter(isJsonObject).filter((row) => row['invited'] !== true) : []
}

/** The names of those that begin so, for a client that completes what its person types. */
export async function roomNames(agent: Agent, begun: string): Promise<string[]> {
  const rooms = await visibleRooms(agent, agent.signal)
  return rooms.map((row) => textAt(row, 'name')).filter((name) => name.startsWith(begun))
}
