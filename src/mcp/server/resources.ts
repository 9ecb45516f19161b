import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
} from '@modelcontextprotocol/server'
import { isJsonList, isJsonObject, type JsonObject, safeJson } from '../../base/json.ts'
import type { Agent, VerbOutcome, VerbUse } from './agent.ts'
import type { Notifications } from './notifications.ts'
import { logUri, roomOf, roomUri } from './room-uri.ts'
import { jsonOf, objectOf, textAt, textOfLines } from './tool.ts'

const JSON_TYPE = 'application/json'
const LINES_TYPE = 'application/x-ndjson'

/** `room://NAME` and `room://NAME/log`. A room that the person may not see does not exist. */
export function addResources(server: McpServer, agent: Agent): void {
  const complete = { room: async (begun: string) => await roomNames(agent, begun) }
  server.registerResource(
    'room',
    new ResourceTemplate('room://{room}', {
      async list({ mcpReq }) {
        const rooms = await visibleRooms(agent, mcpReq.signal)
        return { resources: rooms.flatMap((row) => resourcesOf(textAt(row, 'name'), textAt(row, 'topic'))) }
      },
      complete,
    }),
    { title: 'Room', description: 'Its topic, who is there, its models.', mimeType: JSON_TYPE },
    async ({ href }, _variables, { mcpReq }) => {
      const facts = await roomFacts(agent, neededRoom(href), href, mcpReq.signal)
      return { contents: [{ uri: href, mimeType: JSON_TYPE, text: safeJson(facts) }] }
    },
  )
  server.registerResource(
    'log',
    // The list of rooms includes the logs.
    new ResourceTemplate('room://{room}/log', { list: undefined, complete }),
    { title: 'Log', description: 'The newest entries of a room, one on each line.', mimeType: LINES_TYPE },
    async ({ href }, _variables, { mcpReq }) => {
      const use = { verb: 'history', room: neededRoom(href), flags: { json: true } }
      const text = textOfLines(await read(agent, use, href, mcpReq.signal))
      return { contents: [{ uri: href, mimeType: LINES_TYPE, text }] }
    },
  )
}

/** Throws `ResourceNotFoundError` if no room can have that name. */
export function neededRoom(uri: string): string {
  const name = roomOf(uri)
  if (name === undefined) throw new ResourceNotFoundError(uri)
  return name
}

const resourcesOf = (name: string, topic: string) => [
  { uri: roomUri(name), name, title: name, description: topic, mimeType: JSON_TYPE },
  {
    uri: logUri(name),
    name: `${name}/log`,
    title: `${name}/log`,
    description: `What was said in ${name}`,
    mimeType: LINES_TYPE,
  },
]

async function roomFacts(agent: Agent, name: string, uri: string, signal: AbortSignal): Promise<JsonObject> {
  const row = (await visibleRooms(agent, signal)).find((one) => one['name'] === name)
  if (!row) throw new ResourceNotFoundError(uri)
  const { people, models } = objectOf(
    await read(agent, { verb: 'who', room: name, flags: { json: true } }, uri, signal),
  )
  return { ...row, people: people ?? [], models: models ?? [] }
}

/** Throws `ResourceNotFoundError` both if the person may not read the room and if there is none. */
async function read(agent: Agent, use: VerbUse, uri: string, signal: AbortSignal): Promise<VerbOutcome> {
  const outcome = await agent.run(use, { signal })
  if (outcome.ok) return outcome
  const rooms = await visibleRooms(agent, signal)
  if (!rooms.some((row) => row['name'] === roomOf(uri))) throw new ResourceNotFoundError(uri)
  throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.told)
}

/** For clients that speak a revision before 2026-07-28. */
export function addSubscriptions({ server }: McpServer, agent: Agent, notifications: Notifications): void {
  const { subscribed } = notifications

  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    const why = await agent.follow(neededRoom(uri))
    if (why !== undefined) throw new ResourceNotFoundError(uri, why)
    subscribed.add(uri)
    return {}
  })
  // The SDK's own handler keeps one level per session, and sends every message that belongs to no session.
  server.setRequestHandler('logging/setLevel', ({ params: { level } }) => {
    notifications.level = level
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    const room = neededRoom(uri)
    subscribed.delete(uri)
    if (!subscribed.has(roomUri(room)) && !subscribed.has(logUri(room))) agent.unfollow(room)
    return {}
  })
}

/** Returns the rooms of `rooms --json`, without those to which the person is only invited. */
async function visibleRooms(agent: Agent, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const outcome = await agent.run({ verb: 'rooms', flags: { json: true } }, { signal })
  if (!outcome.ok) throw new ProtocolError(ProtocolErrorCode.InternalError, outcome.told)
  const rooms = jsonOf(outcome)
  return isJsonList(rooms) ? rooms.filter(isJsonObject).filter((row) => row['invited'] !== true) : []
}

export async function roomNames(agent: Agent, begun: string): Promise<string[]> {
  const rooms = await visibleRooms(agent, agent.signal)
  return rooms.map((row) => textAt(row, 'name')).filter((name) => name.startsWith(begun))
}
