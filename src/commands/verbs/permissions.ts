import type { RoutineId } from '../../turns/routines/index.ts'
import type { Decision, Grant } from '../../turns/approvals/index.ts'
import { Refusal } from '../../words/errors.ts'
import { mayManage } from '../../chat/index.ts'
import { duration } from '../../base/amounts.ts'
import { visibleText } from '../../base/text/visible-text.ts'
import { arg, JSON_FLAG, Misuse, type RoomContext } from '../command.ts'
import { iso, listedNumber, print, verb, type Services } from './common.ts'

export const allow = verb({
  name: 'allow',
  summary: 'allow the call that a tool asks for: once, in this room for some hours, or always',
  room: 'here',
  arguments: [
    arg('how', 'once, room or always; without it: once', { optional: true }),
    arg('number', 'the number of the question, needed if several are open; it may come before HOW', {
      optional: true,
    }),
  ],
  example: 'room 3',
  rights: {
    note: 'Also the person who asked for the call, except with `always`, or if the config requires an op.',
  },
  complete: { how: () => EXTENTS },
  run: async (context, services) =>
    answer(services, context, readWords(context.args.how, context.args.number)),
})

export const deny = verb({
  name: 'deny',
  allowedOverQuota: true,
  summary: 'deny the call that a tool asks for',
  room: 'here',
  arguments: [arg('number', 'the number of the question, needed if several are open', { optional: true })],
  example: '3',
  rights: { note: 'Also the person who asked for the call.' },
  run: async (context, services) =>
    answer(services, context, { verdict: 'denied', ...question(context.args.number) }),
})

type Answer = Pick<Decision, 'verdict' | 'question'>

async function answer(
  { approvals }: Services,
  { room, person, session, out }: RoomContext,
  words: Answer,
): Promise<void> {
  const text = await approvals.answer({ room, person, ...words })
  // A session sees the answer in the room.
  if (!session) out.line(text)
}

type Extent = Exclude<Decision['verdict'], 'denied'>
const EXTENTS: readonly Extent[] = ['once', 'room', 'always']
const isExtent = (word: string): word is Extent => EXTENTS.some((extent) => extent === word)

/** Accepts the words in either order: `/allow 3 always`. Throws `Misuse`. */
function readWords(how: string | undefined, number: string | undefined): Answer {
  if (how === undefined || isExtent(how)) return { verdict: how ?? 'once', ...question(number) }
  const verdict = number ?? 'once'
  const asked = question(how)
  if (isExtent(verdict)) return { verdict, ...asked }
  throw new Misuse(`"${verdict.slice(0, 40)}" is not one of once, room and always`)
}

function question(word: string | undefined): Pick<Answer, 'question'> {
  if (word === undefined) return {}
  return { question: listedNumber(word, `"${word.slice(0, 40)}" is not the number of a question`) }
}

export const perms = verb({
  name: 'perms',
  summary: 'list the calls that tools may make here without asking, or revoke one of these permissions',
  room: 'here',
  flags: [JSON_FLAG],
  arguments: [
    arg('action', 'what to do', { optional: true, oneOf: ['revoke'] }),
    arg('number', 'the number of a permission in the list', { optional: true }),
  ],
  example: 'revoke 1',
  needsVoice: ({ action }) => action !== undefined,
  rights: {
    note: 'People see and revoke their own permissions; the owner of the room, ops and admins all.',
  },
  async run(context, services) {
    const { room, args } = context
    if (args.action !== undefined)
      return await revoke(services, context, listedNumber(args.number, 'NUMBER must be one of the list'))
    const grants = await Promise.all((await visibleTo(services, context)).map((one) => listed(one, services)))
    const lines = grants.map((grant) => grantText(grant, services.clock.now()))
    const json = { room: room.name, grants: grants.map(grantJson) }
    print(context, json, lines.length > 0 ? lines : 'no permission was given in this room')
  },
})

/** A grant with the number of its routine in the room. */
type ListedGrant = Omit<Grant, 'routine'> & { readonly routine?: number }

async function listed({ routine: id, ...grant }: Grant, { stores }: Services): Promise<ListedGrant> {
  const routine = id === undefined ? undefined : await stores.models.routines.byId(id as RoutineId)
  return routine ? { ...grant, routine: routine.number } : grant
}

async function visibleTo(
  { stores, clock }: Services,
  { room, person }: RoomContext,
): Promise<readonly Grant[]> {
  const all = await stores.tools.grants.list(room.name, clock.now())
  return mayManage(await room.roleOf(person)) ? all : all.filter((grant) => grant.person === person.id)
}

async function revoke(services: Services, context: RoomContext, id: number): Promise<void> {
  const { room, person, session, out } = context
  const grant = (await visibleTo(services, context)).find((one) => one.id === id)
  if (!grant || !(await services.stores.tools.grants.remove(room.name, id)))
    throw new Refusal(`there is no permission ${id} of yours in ${room.name}; see /perms`)
  const { tool, name: requester } = grant
  const text = `revoked permission ${id} (${tool} for ${requester})`
  await room.record({ kind: 'approval', author: person.name, tool, requester, verdict: 'revoked', text })
  if (!session) out.line(text)
}

/** Returns a permission as text. `|` marks the lines of its target, as in the question. */
function grantText({ id, name, tool, target, until, by, routine }: ListedGrant, now: number): string {
  const end = until === undefined ? 'until it is revoked' : `for ${duration(until - now)}`
  const lines = visibleText(target)
    .split('\n')
    .map((line) => `  | ${line}`)
  const only = routine === undefined ? '' : ` (routine ${routine} alone)`
  return [`${id}  ${tool} for ${name}${only}, ${end}, allowed by ${by}`, ...lines].join('\n')
}

const grantJson = ({ id, name, tool, target, until, by, at, routine }: ListedGrant) => ({
  id,
  requester: name,
  tool,
  target,
  until: until === undefined ? null : iso(until),
  by,
  at: iso(at),
  ...(routine === undefined ? {} : { routine }),
})
