import { z } from 'zod'
import { counted } from '../../base/amounts.ts'
import { entryLine, pinRows } from '../../words/entry-text.ts'
import type { Entry, EntryId, EntryKind, RoomName } from '../../words/entry.ts'
import type { Room } from '../../chat/index.ts'
import { searchTerms, termsText } from '../../chat/text/index.ts'
import { defineTool, type Tool, type ToolContext } from '../../tools/index.ts'
import { ok, type ToolResult } from '../../tools/results/index.ts'
import { roomOf, roomParameter, type RoomToolParts } from './shared.ts'

export const lookTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_look',
    title: 'Look Around',
    description: 'Describes a room: topic, mood, who is there.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    run: async ({ room: name }, context) => {
      const room = await roomOf(parts, context, name)
      return await readOf(room, await describeRoom(room, parts), context)
    },
  })

export async function describeRoom(room: Room, { models, rooms }: RoomToolParts): Promise<string> {
  const { topic, vibe, private: hidden } = await room.info()
  return [
    `Room: ${room.name}${hidden ? ' (private)' : ''}`,
    ...(topic ? [`Topic: ${topic}`] : []),
    ...(vibe ? [`Vibe: ${vibe}`] : []),
    ...pinRows(await rooms.pins.list(room.name)),
    `People here: ${listed(room.present().map((person) => person.name))}`,
    ...(models ? [`Models: ${listed(models.names().map((name) => `@${name}`))}`] : []),
  ].join('\n')
}

const listed = (names: readonly string[]): string => names.join(', ') || 'nobody'

export const whoTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_who',
    title: 'Who Is Here',
    description: 'Lists who is in a room, with roles, and the models.',
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    run: async ({ room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const people = room.present().map(async (person) => `${person.name} (${await room.roleOf(person)})`)
      const models = (parts.models?.names() ?? []).map((model) => `@${model} (model)`)
      const lines = [...(await Promise.all(people)), ...models]
      return await readOf(room, lines.join('\n') || 'Nobody is here.', context)
    },
  })

export const listRoomsTool = ({ rooms }: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_rooms',
    title: 'List Rooms',
    description: 'Lists the rooms that your requester can see.',
    access: 'read',
    input: z.strictObject({}),
    run: async (_, context) => {
      const rows = await rooms.list(context.requester.person, context.room)
      const line = ({ name, private: hidden, topic }: (typeof rows)[number]): string =>
        `${name}${hidden ? ' (private)' : ''}${topic ? `: ${topic}` : ''}`
      const open = rows.filter((row) => !row.private || row.name === context.room)
      const content = rows.map(line).join('\n')
      if (open.length === rows.length) return ok(content)
      const others = `[${counted(rows.length - open.length, 'other private room')}]`
      return { ...ok(content), logged: [...open.map(line), others].join('\n') }
    },
  })

export const exitsTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_exits',
    title: 'List Exits',
    description: "Lists a room's exits: direction and room.",
    access: 'read',
    input: z.strictObject({ room: roomParameter }),
    run: async ({ room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const audience = { viewer: context.requester.person, toldIn: context.room }
      const exits = await parts.rooms.exits.list(room.name, audience)
      const lines = exits.map((exit) => `${exit.direction}: ${exit.room}`)
      return await readOf(room, lines.join('\n') || 'There are no exits.', context)
    },
  })

const SPOKEN_KINDS: readonly EntryKind[] = ['message', 'action', 'reply', 'notice']

export const historyTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_history',
    title: 'Read Back',
    description: 'Reads what was said, oldest first. The first line says how to go back.',
    access: 'read',
    input: z.strictObject({
      limit: z.int().min(1).max(200).describe('Default: 30.').default(30),
      before: z.string().max(64).describe('An id from there.').optional(),
      room: roomParameter,
    }),
    run: async ({ limit, before, room: name }, context) => {
      const room = await roomOf(parts, context, name)
      const older = before ? { before: before as EntryId } : {}
      const query = { limit, kinds: SPOKEN_KINDS, withoutThreads: true, revised: true, ...older }
      const entries = await room.history(query)
      const [oldest] = entries
      if (!oldest) return ok('Nothing was said.')
      const more = entries.length === limit ? [`(older: before ${oldest.id})`] : []
      return await readOf(room, [...more, ...timedLines(entries)].join('\n'), context)
    },
  })

/** Later readers of the log may not be allowed to read the other room, so it has only the number of lines. */
const privateLines = (count: number): string => `[${counted(count, 'line')} of another private room]`

async function readOf(room: Room, content: string, context: ToolContext): Promise<ToolResult> {
  const isOther = room.name !== context.room && (await room.info()).private
  return isOther ? { ...ok(content), logged: privateLines(content.split('\n').length) } : ok(content)
}

const timedLines = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => `${time(entry.at)} ${entryLine(entry)}`)

const time = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ')

export const searchTool = (parts: RoomToolParts): Tool =>
  defineTool({
    id: 'sshawl_search',
    title: 'Search History',
    description: 'Finds the newest lines with all these words.',
    access: 'read',
    input: z.strictObject({
      words: z.string().max(400).describe('Authors count, too.'),
      limit: z.int().min(1).max(100).describe('Default: 20.').default(20),
      room: z.string().max(32).describe('Default: all.').optional(),
    }),
    run: async ({ words, limit, room: name }, context) => {
      const searched = await searchedRooms(parts, context, name)
      const rooms = searched.map((row) => row.name)
      const terms = searchTerms(words)
      const query = { rooms, limit, terms, kinds: SPOKEN_KINDS, withoutThreads: true }
      const { entries, behind } = await parts.log.search(query)
      const line = (entry: Entry): string => `[${entry.room}] ${time(entry.at)} ${entryLine(entry)}`
      const found = entries.map(line).join('\n') || `Nothing has ${termsText(terms)} in ${placesText(rooms)}.`
      const note = behind === undefined ? '' : `\n(The newest lines may be missing: ${behind}.)`
      const others = searched.filter((row) => row.private && row.name !== context.room)
      const open = entries.filter(({ room }) => others.every((row) => row.name !== room))
      if (open.length === entries.length) return ok(found + note)
      const logged = [...open.map(line), privateLines(entries.length - open.length)].join('\n')
      return { ...ok(found + note), logged }
    },
  })

/** All readers of the call's room can read the results, so they must be able to read these rooms. */
async function searchedRooms(
  parts: RoomToolParts,
  context: ToolContext,
  name: string | undefined,
): Promise<readonly SearchedRoom[]> {
  if (name === undefined) return await parts.rooms.list(context.requester.person, context.room)
  const room = await roomOf(parts, context, name)
  return [{ name: room.name, private: (await room.info()).private }]
}

interface SearchedRoom {
  readonly name: RoomName
  readonly private: boolean
}

const placesText = (rooms: readonly RoomName[]): string =>
  rooms.length === 1 ? `${rooms[0]}` : `the ${rooms.length} rooms that everybody here may read`
