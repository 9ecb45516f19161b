import { parseSpec, parseWhen } from '../../turns/routines/index.ts'
import { arg, flag, Misuse, text } from '../command.ts'
import { roomNames, verb } from './common.ts'
import {
  completeTools,
  limitsOf,
  madeText,
  ROUTINE_FLAGS,
  ROUTINE_NOTE,
  zoneOfCaller,
} from './routine-options.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

export const remind = verb({
  name: 'remind',
  summary:
    'say a text later: to you alone in all your sessions, or with --room in that room; again 10m repeats the last reminder',
  flags: [flag('room', 'the text is said in this room', { value: 'ROOM' }), ...ROUTINE_FLAGS],
  arguments: [
    arg('when', '10m, 2h, 18:30, tomorrow 9:00, mon 9:00, 2026-12-01 09:00; or again, with one of these'),
    text('text', 'the text of the reminder; with --room, a model that the text mentions is asked'),
  ],
  example: '10m the tea is ready',
  rights: { note: ROUTINE_NOTE },
  complete: {
    when: () => ['again', '10m', '1h', '18:00', 'tomorrow', ...DAYS],
    text: ({ given }) => (isDay(given.at(-1)) ? ['9:00', '18:00'] : []),
    room: roomNames,
    tools: completeTools,
  },
  async run(context, services) {
    const { person, args, flags, out, session } = context
    const { routines, rooms, clock } = services
    const zone = await zoneOfCaller(context, services)
    const now = clock.now()
    if (args.when === 'again') {
      const { at, rest } = parseWhen(args.text, now, zone)
      if (rest !== '' || flags.room !== undefined)
        throw new Misuse('again takes a time alone: the text is that of the last reminder')
      return out.line(madeText(await routines.remindAgain(person, at - now), context, now))
    }
    const { at, rest } = parseWhen(`${args.when} ${args.text}`, now, zone)
    if (rest.trim() === '') throw new Misuse('TEXT is missing: what to say then')
    const room = flags.room === undefined ? null : await rooms.get(flags.room, person)
    const limits = await limitsOf(services, context, room ?? session?.room ?? (await rooms.lobby()), zone)
    const made = await routines.make(person, {
      room,
      text: rest,
      condition: { kind: 'once', at },
      ...limits,
    })
    out.line(madeText(made, context, now))
  },
})

const isDay = (word: string | undefined): boolean =>
  word !== undefined && (word === 'tomorrow' || DAYS.includes(word))

export const every = verb({
  name: 'every',
  summary: 'say a line here at regular times in your name; a model that the line mentions is asked',
  room: 'here',
  flags: ROUTINE_FLAGS,
  arguments: [
    arg('spec', '30m, day 09:00, mon-fri 09:00, mon,thu 18:00, month 1 09:00 (31: the last day)'),
    text('text', 'the line to say'),
  ],
  example: 'mon-fri 09:00 @qwen sum up what was said since yesterday 9:00',
  rights: { note: ROUTINE_NOTE },
  complete: {
    spec: () => ['30m', '1h', 'day', 'mon-fri', 'month', ...DAYS],
    text: ({ given }) => (given.at(-1) === 'month' ? ['1', '31'] : ['09:00', '18:00']),
    tools: completeTools,
  },
  async run(context, services) {
    const { person, room, args, out } = context
    const now = services.clock.now()
    const { spec, rest } = parseSpec(`${args.spec} ${args.text}`)
    if (rest.trim() === '') throw new Misuse('TEXT is missing: what to say each time')
    const limits = await limitsOf(services, context, room, await zoneOfCaller(context, services))
    const draft = { room, text: rest, condition: { kind: 'calendar', spec }, ...limits } as const
    out.line(madeText(await services.routines.make(person, draft), context, now))
  },
})
