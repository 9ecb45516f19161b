// Shared by the verbs of routines: options, the person's zone, and the answer about a new routine.
import { duration } from '../../base/amounts.ts'
import { UTC, type Zone, zoneOf } from '../../base/zone.ts'
import type { Room } from '../../chat/index.ts'
import { conditionText, parseUntil, timeText, type Routine } from '../../turns/routines/index.ts'
import { type Caller, type CompletionContext, flag, Misuse } from '../command.ts'
import type { Services } from './common.ts'
import { checkedScope, scopeWords } from './tools.ts'

export const ROUTINE_FLAGS = [
  flag(
    'tools',
    'the only tools that the routine may use, out of those in scope, with commas between them; off: none',
    {
      value: 'PATTERNS',
    },
  ),
  flag('tokens', 'the most tokens that the routine may use in a day', { value: 'N' }),
  flag('runs', 'ends the routine after N runs', { value: 'N' }),
  flag('until', 'ends the routine after this day, such as 2026-12-31', { value: 'DATE' }),
] as const

/** Says who may use the verbs; the service itself checks it. */
export const ROUTINE_NOTE =
  '`[routines] allow` of the config says who may use them; by default members may use `remind` and `every`, ops also `watch` and `listen`. On an open server only admins may make routines that ask a model. Guests may use none.'

export const completeTools = async (
  where: CompletionContext,
  { turns }: Services,
): Promise<readonly string[]> => scopeWords(await turns.scope(where))

interface GivenOptions {
  readonly tools: string | undefined
  readonly tokens: string | undefined
  readonly runs: string | undefined
  readonly until: string | undefined
}

/** Returns the limits of a routine's draft. Throws `Misuse`, `UsageError` or `Refusal`. */
export async function limitsOf(
  services: Services,
  { person, flags }: Pick<Caller, 'person'> & { readonly flags: GivenOptions },
  room: Room,
  zone: Zone,
) {
  const words = flags.tools?.split(',').filter((word) => word !== '')
  const scope = words && (await checkedScope(services, { room, person }, words))
  return {
    zone: zone.name,
    scope: typeof scope === 'string' ? (scope === 'none' ? [] : null) : (scope ?? null),
    tokens: countOf('--tokens', flags.tokens, 20_000),
    runs: countOf('--runs', flags.runs, 5),
    until: flags.until === undefined ? null : parseUntil(flags.until, services.clock.now(), zone),
  }
}

function countOf(name: string, word: string | undefined, example: number): number | null {
  if (word === undefined) return null
  const count = /^\d{1,9}$/.test(word) ? Number(word) : 0
  if (count > 0) return count
  throw new Misuse(`${name} takes a whole number, such as ${name} ${example}`)
}

/** The zone in which a person reads times: that of the session, else the one that they have set. */
export async function zoneOfCaller(
  { person, session }: Pick<Caller, 'person' | 'session'>,
  { preferences }: Pick<Services, 'preferences'>,
): Promise<Zone> {
  if (session) return session.zone
  const { timezone } = await preferences.of(person)
  return timezone === undefined ? UTC : zoneOf(timezone)
}

/** Says the number of a new routine, when it runs, and how to end it. */
export function madeText(routine: Routine, { session }: Pick<Caller, 'session'>, now: number): string {
  const { room, number, nextAt, condition } = routine
  const zone = zoneOf(routine.zone)
  const name = room === null ? `reminder ${number}` : `routine ${number} of ${room}`
  const runs = room === null ? 'rings' : 'runs next'
  const when =
    nextAt === null
      ? `: ${conditionText(condition, routine.zone)}`
      : ` ${runs} ${timeText(nextAt, zone)} (in ${duration(nextAt - now)})`
  const isElsewhere = session && room !== null && room !== session.room.name
  const place = room === null ? ' -' : session ? '' : ` ${room}`
  const end = `${session ? '/' : ''}routines${place} end ${number}${isElsewhere ? ' there' : ''} ends it`
  const isUtc = nextAt !== null && zone.name === UTC.name
  return `${name}${when}; ${end}${isUtc ? `; times are UTC: ${session ? '/' : ''}set timezone changes that` : ''}`
}
