import { Refusal } from '../../words/errors.ts'
import type { Room } from '../../chat/index.ts'
import { type StoredMemory, type RoomOrMe, memories as countedMemories } from '../../turns/memory/index.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type Caller, type CompletionContext } from '../command.ts'
import { announce, dateText, iso, listedNumber, print, verb, type Services } from './common.ts'

const ME = flag('me', 'your lines about yourself, instead of those of a room', { insteadOfRoom: true })

/** For the page of all commands. */
const RIGHT = '`[routines] allow` of the config may name other people for a room, but nobody who is muted.'

export const remember = verb({
  name: 'remember',
  summary:
    'add a line that models read in every turn of this room, or with --me a line about you for rooms that you own; --back N restores a forgotten line',
  room: 'optional',
  flags: [ME, flag('back', 'restores the forgotten memory with this number', { value: 'N' })],
  arguments: [text('text', 'the line to remember', { optional: true })],
  example: 'releases are on Fridays',
  rights: { note: RIGHT },
  complete: { back: (where, services) => numbersOf(where, services, 'forgotten') },
  async run(context, { memories }) {
    const { person, args, flags, out } = context
    const whose = flags.me ? 'me' : roomOf(context)
    if (whose !== 'me') await memories.needRight(whose, person)
    if ((args.text === undefined) === (flags.back === undefined))
      throw new Misuse('TEXT is missing, or --back N alone')
    const stored =
      args.text === undefined
        ? await memories.bringBack(whose, person, memoryNumber(flags.back))
        : await memories.add(whose, person, args.text)
    const done = `${args.text === undefined ? 'brought back' : 'remembered'} ${stored.number}: ${stored.text}`
    if (whose === 'me') out.line(`${done} (about you, in your own rooms; /memory here on uses it here, too)`)
    else await announce({ ...context, room: whose }, `${person.name} ${done}`)
  },
})

export const memory = verb({
  name: 'memory',
  summary:
    'list the lines that models read in every turn of this room, or with --me the lines about you; here on: models of this room read your lines, too',
  room: 'optional',
  flags: [ME, JSON_FLAG],
  arguments: [
    arg('here', 'show or set whether models of this room read your lines about yourself', {
      optional: true,
      oneOf: ['here'],
    }),
    arg('state', 'on or off; in rooms that you own, on is the default', {
      optional: true,
      oneOf: ['on', 'off'],
    }),
  ],
  complete: { here: () => ['here'], state: () => ['on', 'off'] },
  async run(context, { memories }) {
    const { person, args, flags, out } = context
    const whose = flags.me ? 'me' : roomOf(context)
    if (args.here === undefined) return await show(whose, context, memories)
    if (whose === 'me') throw new Misuse('here means a room, and --me none')
    if (args.state !== undefined) await memories.setGoesAlong(person, whose, args.state === 'on')
    const goes = !person.guest && (await memories.goesAlong(person, whose))
    print({ out, flags }, { room: whose.name, goes_along: goes }, memoryUseText(whose, goes))
  },
})

export const forget = verb({
  name: 'forget',
  summary: 'remove a line of /memory, so that models no longer read it; /remember --back N restores it',
  room: 'optional',
  flags: [ME],
  arguments: [arg('number', 'the number of the line in /memory')],
  example: '1',
  rights: {
    note: 'The same people as for `remember`, also ops of the room, and the person who added the line.',
  },
  complete: { number: (where, services) => numbersOf(where, services, 'current') },
  async run(context, { memories }) {
    const { person, args, flags, out } = context
    const whose = flags.me ? 'me' : roomOf(context)
    const number = memoryNumber(args.number)
    await memories.forget(whose, person, number)
    if (whose === 'me') out.line(`forgot ${number}`)
    else await announce({ ...context, room: whose }, `${person.name} forgot ${number} of this room's memory`)
  },
})

function roomOf({ room }: { readonly room: Room | undefined }): Room {
  if (room) return room
  throw new Misuse('ROOM is missing, or --me')
}

const memoryNumber = (word: string | undefined): number =>
  listedNumber(word, 'N is the number of a memory, as /memory lists it')

const memoryUseText = ({ name }: Room, goes: boolean): string =>
  goes ? `your memories of yourself are used in ${name}` : `your memories of yourself are not used in ${name}`

type Shown = Caller & { readonly flags: { readonly json: boolean } }

async function show(whose: RoomOrMe, context: Shown, memories: Services['memories']): Promise<void> {
  const { person } = context
  if (whose === 'me' && person.guest) throw new Refusal('nothing is remembered about guests')
  const versions = await memories.versions(whose, person)
  const current = await memories.current(whose, person)
  const forgotten = lastTexts(versions).filter(({ number }) => current.every((one) => one.number !== number))
  const own = whose === 'me' || person.guest ? [] : await memories.current('me', person)
  const goes = whose !== 'me' && !person.guest && (await memories.goesAlong(person, whose))
  const toJson = ({ number, version, text: words, author, at }: StoredMemory) => ({
    number,
    version,
    text: words,
    author,
    at: iso(at),
  })
  const json = {
    ...(whose === 'me' ? {} : { room: whose.name }),
    memories: current.map(toJson),
    forgotten: forgotten.map(toJson),
    ...(whose === 'me' ? {} : { own: own.length, goes_along: goes }),
  }
  const line = ({ number, at, author, text: words }: StoredMemory): string =>
    `${number}  ${dateText(at, context)}  ${author}  ${words}`
  const none = whose === 'me' ? 'nothing is remembered about you' : 'nothing is remembered for this room'
  const mine =
    whose === 'me' || own.length === 0
      ? []
      : [`${memoryUseText(whose, goes)} (${countedMemories(own.length)})`]
  print(context, json, [
    ...(current.length > 0 ? current.map(line) : [none]),
    ...(forgotten.length > 0 ? ['forgotten:', ...forgotten.map(line)] : []),
    ...mine,
  ])
}

/** Returns the newest version of each memory that has a text. */
function lastTexts(versions: readonly StoredMemory[]): readonly StoredMemory[] {
  const last = new Map<number, StoredMemory>()
  for (const one of versions) if (one.text !== '' && !last.has(one.number)) last.set(one.number, one)
  return [...last.values()]
}

async function numbersOf(
  { room, person }: CompletionContext,
  { memories }: Services,
  which: 'current' | 'forgotten',
): Promise<readonly string[]> {
  const current = (await memories.current(room, person)).map(({ number }) => number)
  const all = (await memories.versions(room, person)).map(({ number }) => number)
  const found = which === 'current' ? current : all.filter((number) => !current.includes(number))
  return [...new Set(found)].map(String)
}
