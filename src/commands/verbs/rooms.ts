import { COPIED_KINDS, copyLines, payForCopy } from '../../chat/talk/index.ts'
import { countText, type Room, type RoomNews, type RoomRecord } from '../../chat/index.ts'
import { counted } from '../../base/amounts.ts'
import { entryJson, pinRows } from '../../words/entry-text.ts'
import type { EntryId } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'

import { oneLine } from '../../chat/text/index.ts'
import { ROOM_NAME_RULE } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import { safeJson } from '../../base/json.ts'
import { arg, flag, JSON_FLAG, Misuse, text } from '../command.ts'
import { findEntry } from './turn.ts'
import { announce, print, printNotice, verb, type Services, type Verb } from './common.ts'

export const rooms = verb({
  name: 'rooms',
  aliases: ['list', 'channels'],
  summary:
    'list the rooms that you can see, the number of people in each, and the new lines in yours; your talks come last',
  flags: [JSON_FLAG],
  async run({ person, flags, out, session }, services) {
    const rows = await services.rooms.list(person)
    const news = new Map((await services.followed.news(person)).map((one) => [one.room, one]))
    const all = await Promise.all(rows.map((row) => roomJson(services, row, person, news.get(row.name))))
    const [listed, talks] = [all.filter((one) => !('talk' in one)), all.filter((one) => 'talk' in one)]
    const invitations = await services.moderation.memberships.invitations(person)
    if (flags.json) return out.line(safeJson([...listed, ...invitations.map(invitationJson), ...talks]))
    const show = (room: (typeof all)[number]): void => {
      const isNew = news.get(room.name)
      const marks = [
        isNew && `${countText(isNew.count)} new${isNew.isNamed ? ', you are named' : ''}`,
        'talk' in room ? `talk with @${room.talk}` : room.private && 'private',
        ...['archived' in room && 'archived', room.topic],
      ]
      out.line([room.name, `${room.people} here`, ...marks].filter(Boolean).join('  '))
    }
    listed.forEach(show)
    for (const name of invitations)
      out.line(`${name}  private  you are invited: ${session ? '/' : ''}join ${name}`)
    talks.forEach(show)
  },
})

/** An invited person knows the name, and nothing else before they join. */
const invitationJson = (name: string) => ({ name, topic: '', private: true, people: 0, invited: true })

async function roomJson(
  { rooms, moderation }: Services,
  row: RoomRecord,
  viewer: Person,
  news: RoomNews | undefined,
) {
  const room = await rooms.get(row.name, viewer)
  const archived = moderation.closing.isArchived(row.name) ? { archived: true } : {}
  const people = room.present().length
  const isNew = news && { new: news.count, named: news.isNamed }
  const talk = row.talk !== undefined && row.owner === viewer.id ? { talk: row.talk } : {}
  return { name: row.name, topic: row.topic, private: row.private, people, ...archived, ...isNew, ...talk }
}

const PRIVATE_FLAG = flag('private', 'only people who are invited can see and join it')
const NEW_NAME = arg('name', `the name of the new room: ${ROOM_NAME_RULE}`)

export const create = verb({
  name: 'create',
  summary: 'create a room that you own; --private hides it from everybody except the people you invite',
  flags: [PRIVATE_FLAG],
  arguments: [NEW_NAME],
  example: '--private attic',
  async run({ person, args, flags, out, session }, { rooms, followed }) {
    const room = await rooms.create(args.name, person, flags)
    const slash = session ? '/' : ''
    const who = flags.private
      ? `only those whom you ${slash}invite may join`
      : `everybody may join; ${slash}create --private makes a closed one`
    out.line(`made ${room.name}, which is yours: ${who}`)
    await (session ? session.moveTo(room) : followed.join(person, room))
  },
})

const FROM_FLAG = flag(
  'from',
  'also copy the log up to and including this line: an id, as in /history --json, or -3 for the third last',
  { value: 'LINE' },
)

/** Throws `Refusal` if the room has no such line. `-1` is the last line. */
export async function lineCalled(word: string, room: Room): Promise<EntryId> {
  const back = /^-([1-9]\d{0,3})$/.exec(word)?.[1]
  if (back === undefined) {
    const entry = await findEntry(word, room)
    if (entry) return entry.id
    throw new Refusal(`${room.name} has no line ${word.slice(0, 40)}; /history --json shows their ids`)
  }
  const limit = Number(back)
  const query = { limit, kinds: COPIED_KINDS, withoutThreads: true, revised: true }
  const [line, ...later] = await room.history(query)
  if (line && later.length === limit - 1) return line.id
  throw new Refusal(`${room.name} has fewer than ${counted(limit, 'line')}`)
}

export const fork = verb({
  name: 'fork',
  summary:
    'make a room of your own like this one: its vibe, tools, instructions, personas, script and key-values; --from also copies its log',
  room: 'here',
  flags: [PRIVATE_FLAG, FROM_FLAG],
  arguments: [NEW_NAME],
  example: 'den-2',
  async run({ person, room, args, flags, out, session }, services) {
    const { rooms, followed, keeping, stores, turns } = services
    const { entries } = stores.chat
    const until = flags.from === undefined ? undefined : await lineCalled(flags.from, room)
    const lines = until && { from: room.name, until }
    if (lines) await payForCopy(lines, person, { entries, bytes: services.bytes })
    const made = await rooms.fork(room, args.name, person, flags)
    const copied: string[] = []
    if (lines) {
      const { days, isOwn } = await keeping.daysOf(room.name)
      if (isOwn && days !== undefined) await keeping.set(made.name, days, person, 0)
      copied.push(`${counted(await copyLines(lines, made.name, entries), 'line')} of it`)
    }
    const personas = (await turns.personas.list(made.name)).map(({ name }) => `@${name}`)
    if (personas.length > 0)
      copied.push(`its persona${personas.length > 1 ? 's' : ''} ${personas.join(', ')}`)
    const extra = copied.length > 0 ? `, with ${copied.join(' and ')}` : ''
    const hidden = (await made.info()).private ? ', and private' : ''
    out.line(`made ${made.name} like ${room.name}${extra}; it is yours${hidden}`)
    if ((await stores.models.routines.list({ room: room.name })).length > 0)
      out.line(`the routines of ${room.name} stay there: none was copied`)
    await (session ? session.moveTo(made) : followed.join(person, made))
  },
})

export const who = verb({
  name: 'who',
  aliases: ['names', 'users'],
  summary: 'list the people in the room, and the models that you can mention',
  room: 'here',
  flags: [JSON_FLAG],
  needsVoice: () => false,
  async run(context, { turns, talk }) {
    const { room } = context
    const people = await Promise.all(
      room.present().map(async (one) => {
        const away = talk.away.textOf(one.id)
        const role = await room.roleOf(one)
        return { name: one.name, role, ...(away === undefined ? {} : { away }) }
      }),
    )
    const models = turns.names()
    const personas = await turns.personas.list(room.name)
    const named = personas.map(({ name, model }) => ({ name, model }))
    print(context, { room: room.name, people, models, personas: named }, [
      people.map(personText).join(', ') || 'nobody is here',
      `models: ${models.map((name) => `@${name}`).join(' ')}`,
      ...(named.length > 0 ? [`personas: ${named.map(personaText).join(', ')}`] : []),
    ])
  },
})

const personaText = ({ name, model }: { name: string; model: string }): string => `@${name} (${model})`

/** `away` is empty for people who gave no reason. */
function personText({ name, role, away }: { name: string; role: string; away?: string }): string {
  const absence = away === undefined ? [] : [away === '' ? 'away' : `away: ${away}`]
  const facts = [...(role === 'member' ? [] : [role]), ...absence]
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`
}

const MAX_CHARS = 500

export const topic = roomText('topic', 'show or set the topic of the room', 'the release of Friday')

export const vibe = roomText(
  'vibe',
  'show or set the mood that models should have in this room',
  'calm and brief',
)

function roomText(name: 'topic' | 'vibe', summary: string, example: string): Verb {
  return verb({
    name,
    summary,
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [text('text', 'the new one', { optional: true })],
    example,
    rights: { manage: `change its ${name}`, when: (args) => args.text !== undefined },
    async run(context, { stores, rooms }) {
      const { person, room, args, flags } = context
      if (args.text === undefined) {
        const now = (await room.info())[name]
        const pins = name === 'topic' ? await rooms.pins.list(room.name) : []
        const json = { room: room.name, [name]: now, ...(pins.length > 0 && { pins: pins.map(entryJson) }) }
        return print(context, json, [now || `no ${name} is set`, ...pinRows(pins)])
      }
      if (flags.json) throw new Misuse(`--json shows the ${name}, and sets none`)
      const line = oneLine(args.text, MAX_CHARS)
      await stores.chat.rooms.update(room.name, { [name]: line })
      await announce(context, `${person.name} set the ${name}: ${line}`)
    },
  })
}

export const archive = verb({
  name: 'archive',
  summary: 'close the room: people can read it, but nobody can speak in it; off opens it again',
  room: 'here',
  arguments: [
    arg('state', 'on if absent in a script; a session without it first shows what archiving does', {
      optional: true,
      oneOf: ['on', 'off'],
    }),
  ],
  example: 'on',
  needsVoice: () => false,
  async run(context, { moderation }) {
    const { room, person, args, session, out } = context
    if (session && args.state === undefined) {
      await moderation.closing.assertMayArchive(room, person, true)
      out.warn(
        `this closes ${room.name}: it can be read, nobody speaks in it, and its models and routines stop. To do it: /archive on; /archive off opens it again`,
      )
      return false
    }
    return printNotice(context, await moderation.closing.archive(room, person, args.state !== 'off'))
  },
})

export const renameRoom = verb({
  name: 'rename-room',
  summary: 'give the room another name; no other room can take the old name',
  room: 'here',
  arguments: [arg('name', `the new name: ${ROOM_NAME_RULE}`)],
  example: 'den-2',
  needsVoice: () => false,
  async run({ room, person, args, session, out }, { moderation, preferences }) {
    const { room: renamed, text } = await moderation.closing.rename(room, person, args.name)
    preferences.roomRenamed(room.name, renamed)
    if (!session) out.line(text)
  },
})

export const deleteRoom = verb({
  name: 'delete',
  summary: 'delete the room with its whole log, which is first exported to a file; you must confirm it',
  room: 'here',
  arguments: [arg('name', "the room's own; a script that gives it is not asked again", { optional: true })],
  needsVoice: () => false,
  async run({ room, person, args, session, out }, { moderation }) {
    const { name } = room
    if (args.name !== undefined && args.name !== name)
      throw new Misuse(`this room is called ${name}, not ${args.name.slice(0, 40)}`)
    const removed = await moderation.closing.remove(room, person, !session && args.name !== undefined)
    if (removed.kind === 'removed') {
      const where = removed.isPath ? '' : "; an admin finds it in the server's exports directory"
      return out.line(`${name} is deleted; all of it is in ${removed.file}${where}`)
    }
    const again = session
      ? '/delete again within a minute'
      : `delete ${name} again within a minute, or delete ${name} ${name}`
    out.warn(`this deletes ${name} with all that was said in it, for good. To do it: ${again}`)
    return false
  },
})
