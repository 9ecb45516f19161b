import { Refusal } from '../errors.ts'
import type { Person } from '../people/person.ts'
import type { Room } from '../room.ts'
import {
  actFacts,
  becauseOf,
  forHowLong,
  needStanding,
  tell,
  tellInForce,
  type ModerationParts,
  type Told,
} from './parts.ts'
import { findPerson, held, needInReach, sanctionsOf, whomOf, type ActTarget } from './target.ts'

/** What keeps order in one room. All of it throws `Refusal` and rejects with `StorageError`. */
export interface Discipline {
  /** Ends the sessions of somebody in a room, who may come back. */
  kick(room: Room, actor: Person, name: string, reason: string): Promise<Told>
  /** From now on somebody may read, and not speak. `ms` is for how long; until it is undone where it is absent. */
  mute(room: Room, actor: Person, name: string, ms: number | undefined): Promise<Told>
  unmute(room: Room, actor: Person, name: string): Promise<Told>
}

export function createDiscipline(parts: ModerationParts): Discipline {
  const { sanctions, clients, clock, log } = parts

  async function reach(room: Room, actor: Person, name: string): Promise<ActTarget> {
    needStanding(parts, actor, room)
    const target = await findPerson(name, parts)
    await needInReach(target, room, actor, parts)
    return target
  }

  return {
    async kick(room, actor, name, reason) {
      const target = await reach(room, actor, name)
      const { who } = target
      if (!room.present().some(target.includes)) throw new Refusal(`${who} is not in ${room.name}`)
      const text = `${actor.name} kicked ${who}${becauseOf(reason)}`
      const told = await tell(room, actor, { text, act: { verb: 'kick', who, ...actFacts(reason) } }, log)
      stopTheirWork(target, room, `${who} was kicked`, parts)
      const why = `${actor.name} kicked you out of ${room.name}${becauseOf(reason)}; you may come back`
      await clients.everywhere.leave(room.name, whomOf(target), why)
      return told
    },
    async mute(room, actor, name, ms) {
      const target = await reach(room, actor, name)
      const { who } = target
      const at = clock.now()
      const until = ms === undefined ? null : at + ms
      const facts = { id: parts.nextId(), kind: 'mute', room: room.name, reason: '', by: actor.name } as const
      await sanctions.put({ ...held(target), ...facts, at, until }, await mutesOf(who, room, parts))
      stopTheirWork(target, room, `${who} was muted`, parts)
      const text = `${actor.name} muted ${who}${forHowLong(ms)}`
      return await tellInForce(room, actor, { text, act: { verb: 'mute', who, ...actFacts('', until) } }, log)
    },
    async unmute(room, actor, name) {
      needStanding(parts, actor, room)
      const lifted = await mutesOf(name, room, parts)
      const who = lifted[0]?.who
      if (who === undefined) throw new Refusal(`${name.slice(0, 40)} is not muted in ${room.name}`)
      await sanctions.lift(lifted)
      const text = `${actor.name} unmuted ${who}`
      return await tellInForce(room, actor, { text, act: { verb: 'unmute', who } }, log)
    },
  }
}

const mutesOf = (who: string, room: Room, parts: ModerationParts) =>
  sanctionsOf(
    who,
    parts.sanctions.list(room.name).filter(({ kind }) => kind === 'mute'),
    parts,
  )

/** Stops what works for somebody, in one room or in all. Nobody waits for that. */
export function stopTheirWork(
  { who, people, includes }: ActTarget,
  room: Room | undefined,
  why: string,
  { clients, server }: ModerationParts,
): void {
  const here = clients.people(includes)
  const names = new Set([who, ...[...people, ...here].map(({ name }) => name)])
  void server.stopWork({ room: room?.name ?? null, names, why })
}
