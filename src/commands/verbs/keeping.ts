import { counted, DAY_MS, parseDuration } from '../../base/amounts.ts'
import type { Keeping } from '../../chat/moderation/index.ts'
import { arg, flag, Misuse } from '../command.ts'
import { announce, peopleToReach, verb } from './common.ts'

const YES = 'confirms it; without this flag, the command only counts what it would remove'

export const keep = verb({
  name: 'keep',
  summary:
    'show or set how long the room keeps its log; older entries are removed for good, with their results and files',
  room: 'here',
  flags: [flag('yes', `${YES} now, if there is anything`)],
  arguments: [arg('time', 'a number of days, such as 90d; off: for ever', { optional: true })],
  example: '90d',
  rights: { manage: 'say how long its lines are kept', when: ({ time }) => time !== undefined },
  needsVoice: () => false,
  async run(context, { keeping }) {
    const { room, person, args, flags, out, session } = context
    const { name } = room
    if (args.time === undefined) return out.line(keptText(name, await keeping.daysOf(name)))
    const days = parseDays(args.time)
    const older = days === null ? 0 : await keeping.olderThan(name, days)
    if (days !== null && older > 0 && !flags.yes) {
      const again = `${session ? '/keep' : `keep ${name}`} ${args.time} --yes`
      out.warn(
        `this removes ${counted(older, 'line')} of ${name}, for good, with results and files older than ${days}d; to do it: ${again}`,
      )
      return false
    }
    await keeping.set(name, days, person, older)
    const told =
      days === null
        ? 'what is said here is kept for good, unless the server has a limit (keep_days)'
        : `what is said here is removed for good after ${counted(days, 'day')}`
    await announce(context, `${person.name} set: ${told}`)
  },
})

const keptText = (room: string, { days, isOwn }: Awaited<ReturnType<Keeping['daysOf']>>): string =>
  days === undefined
    ? `what is said in ${room} is kept for good`
    : `what is said in ${room} is removed for good after ${counted(days, 'day')}${isOwn ? '' : ', as everywhere on this server'}`

/** Returns null for `off`. Throws `Misuse`. */
function parseDays(word: string): number | null {
  if (word === 'off' || word === 'forever') return null
  const days = (parseDuration(word) ?? 0) / DAY_MS
  if (days >= 1 && Number.isInteger(days)) return days
  throw new Misuse(`${word.slice(0, 40)} is no number of days; write 90d, from 1d to 3650d, or off`)
}

/** Nothing stores the authors of key-values and files. */
const NOT_REMOVED =
  'key-values and files do not say whose they are; an owner removes them: kv KEY -, and rm in sftp'

interface PurgedCounts {
  readonly who: string
  readonly lines: number
  readonly rooms: number
  readonly routines: number
}

function purgedText({ who, lines, rooms, routines }: PurgedCounts): string {
  const said = `${counted(lines, 'line')} of ${who} in ${counted(rooms, 'room')}`
  if (routines === 0) return lines === 0 ? `the private messages, notes and drafts of ${who}` : said
  return lines === 0
    ? `${counted(routines, 'routine')} of ${who}`
    : `${said}, and ${counted(routines, 'routine')}`
}

export const purge = verb({
  name: 'purge',
  summary:
    'remove all lines of a person from the log, search, summaries and stored requests to models, also the settings that the person made in rooms, and their routines',
  flags: [
    flag('yes', YES),
    flag('files', 'also removes old versions of room files that the person wrote or replaced'),
  ],
  arguments: [arg('name', 'a registered person or a guest')],
  example: 'bob',
  complete: { name: peopleToReach },
  async run({ person, args, flags, out, session }, { moderation, talk, stores, filesOf, routines }) {
    const purged = await moderation.purging.purge(person, args.name, flags.yes)
    const { kind, who, id } = purged
    const what = purgedText(purged)
    if (kind === 'purged') {
      if (id !== undefined) talk.away.comeBack(id)
      if (purged.routines > 0) routines.removed()
      out.line(`removed ${what}`)
      if (flags.files && id !== undefined) {
        let count = 0
        for (const room of await stores.chat.rooms.all()) count += await filesOf(room.name).kept.forget(id)
        out.line(`removed ${counted(count, 'version')} of files`)
      }
      return out.line(NOT_REMOVED)
    }
    out.warn(
      `this removes ${what}, for good; to do it: ${session ? '/' : ''}purge ${who} --yes${flags.files ? ' --files' : ''}`,
    )
    return false
  },
})
