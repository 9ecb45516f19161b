import { counted, DAY_MS } from '../../base/amounts.ts'
import { zoneOf } from '../../base/zone.ts'
import { conditionText, type ListedRoutine, routineText, timeText } from '../../turns/routines/index.ts'
import { arg, type CommandContext, type CompletionContext, JSON_FLAG, Misuse } from '../command.ts'
import { iso, listedNumber, print, type Services, verb } from './common.ts'

const ARGUMENTS = [
  arg('action', 'what to do', { oneOf: ['list', 'pause', 'resume', 'end'], usual: 'list' }),
  arg('number', 'the number of a routine in the list', { optional: true }),
] as const

const FLAGS = [JSON_FLAG] as const

type Context = CommandContext<'here-or-all', typeof ARGUMENTS, typeof FLAGS>

export const routines = verb({
  name: 'routines',
  summary:
    'list the routines of this room, or pause, resume or end one by NUMBER; - lists your routines of all rooms and your reminders, for admins all routines of the server',
  room: 'here-or-all',
  flags: FLAGS,
  arguments: ARGUMENTS,
  example: 'pause 3',
  rights: { note: 'People change their own routines, the owner and ops those of their room, admins all.' },
  complete: { number: numbersFor },
  async run(context, services) {
    const { room, person, args, flags, session, out } = context
    if (args.action === 'list') return await list(context, services)
    if (flags.json) throw new Misuse('--json is for the list')
    const number = listedNumber(args.number, `${args.action} takes a number of /routines`)
    const place = room ? { room: room.name } : { alone: person.id }
    await services.routines[args.action](person, place, number)
    // In the routine's room, a session sees the entry.
    if (session && room) return
    const what = room ? `routine ${number} of ${room.name}` : `reminder ${number}`
    out.line(`${what} ${{ pause: 'is paused', resume: 'goes on', end: 'has ended' }[args.action]}`)
  },
})

async function numbersFor(
  { room, person, given }: CompletionContext,
  { routines: service }: Services,
): Promise<readonly string[]> {
  if (given.includes('list')) return []
  return (await service.list(person, room)).map(({ number }) => `${number}`)
}

async function list(context: Context, services: Services): Promise<void> {
  const { room, person, args, session } = context
  if (args.number !== undefined) throw new Misuse('the list takes no number')
  const found = await services.routines.list(person, room ?? (person.admin ? 'all' : 'mine'))
  const now = services.clock.now()
  const alone = room && (await services.routines.list(person, 'mine')).filter((one) => one.room === null)
  const slash = session ? '/' : ''
  const lines = [
    ...found.flatMap((one) => linesOf(one, now, !room)),
    ...(found.length === 0
      ? [room ? `nothing runs by itself in ${room.name}` : 'nothing runs by itself']
      : []),
    ...(alone?.length
      ? [`you have ${counted(alone.length, 'reminder')}: ${slash}routines - lists them`]
      : []),
  ]
  print(
    context,
    found.map((one) => routineJson(one, now)),
    lines,
  )
}

/** Tokens of the routine's runs in the day of `now`. */
const tokensToday = ({ spent }: ListedRoutine, now: number): number =>
  spent.day === Math.floor(now / DAY_MS) ? spent.tokens : 0

function linesOf(routine: ListedRoutine, now: number, isEverywhere: boolean): readonly string[] {
  const { number, room, by, isHidden, condition, state, reason, nextAt, lastAt, outcome } = routine
  const { scope, tokens, runsLeft, until } = routine
  const zone = zoneOf(routine.zone)
  const spent = tokensToday(routine, now)
  const place = isEverywhere ? `${isHidden ? '?' : (room ?? '-')} ` : ''
  const what = isHidden ? `${condition.kind}, where you may not read` : routineText(routine)
  const facts = [
    by,
    state === 'paused' && `paused: ${reason}`,
    nextAt !== null && `${state === 'paused' ? 'tries again' : 'next'} ${timeText(nextAt, zone)}`,
    lastAt !== null && `last ${timeText(lastAt, zone)}: ${outcome}`,
    (spent > 0 || tokens !== null) && `${spent}${tokens === null ? '' : ` of ${tokens}`} tokens today`,
    scope && `tools: ${scope.length === 0 ? 'none' : scope.join(' ')}`,
    runsLeft !== null && `${counted(runsLeft, 'run')} left`,
    // Shows the day that ends at this midnight.
    until !== null && `until ${timeText(until - 1, zone)}`,
  ]
  return [`${place}${number}  ${what}`, `   ${facts.filter(Boolean).join('; ')}`]
}

const time = (at: number | null): string | null => (at === null ? null : iso(at))

function routineJson(routine: ListedRoutine, now: number) {
  const { number, text, by, isHidden, condition, scope, zone, state, reason, outcome } = routine
  return {
    number,
    room: isHidden ? null : routine.room,
    kind: condition.kind,
    person: by,
    text,
    condition: isHidden ? '' : conditionText(condition, zone),
    scope,
    zone,
    next_run: time(routine.nextAt),
    last_run: time(routine.lastAt),
    outcome,
    tokens_today: tokensToday(routine, now),
    tokens_per_day: routine.tokens,
    runs_left: routine.runsLeft,
    until: time(routine.until),
    state,
    reason,
  }
}
