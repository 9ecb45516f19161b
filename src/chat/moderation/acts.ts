import { Refusal, warnOfStorage } from '../../words/errors.ts'
import type { ModerationAct } from '../../words/entry.ts'
import { mayManage } from '../access.ts'
import { LOBBY } from '../../words/names.ts'
import type { Person } from '../../words/person.ts'
import type { Room } from '../room.ts'
import { Acting, type ActResult } from './acting.ts'
import { inGroup, removeBanned } from './clients.ts'
import type { Sanction } from './ports.ts'
import { reasonSuffix, durationSuffix } from './sanctions.ts'
import { assertCanActOn, findPerson, findTarget, findSanctions, type Target } from './targets.ts'

export interface BanOrder {
  readonly who: string
  readonly ms: number | undefined
  readonly reason: string
  readonly isSure: boolean
}

/** `names`: the sorted current names of its registered people and of everybody who has its keys. */
export type ListedSanction = Sanction & { readonly names: readonly string[] }

export class Acts extends Acting {
  /** Bans from a room, or without `room` from the server. Replaces an earlier ban of the same target. */
  ban(room: Room | undefined, actor: Person, order: BanOrder): Promise<ActResult> {
    return this.inTurn(actor, undefined, async () => {
      await this.#assertMayBan(room, actor)
      const { rooms, stores, log } = this.parts
      const target = await findTarget(order.who, this.parts)
      if (room?.name === LOBBY)
        throw new Refusal(
          'every session begins in the lobby: mute somebody there, or ban them from the server',
        )
      await assertCanActOn(target, room, actor, this.parts)
      if (!order.isSure) this.#assertNarrow(target, room)
      // Does all reads that can fail before the ban is stored.
      const isMember = room !== undefined && (await this.#isPrivateMember(room, target))
      const owner = (await room?.info())?.owner
      const toldIn = room ?? (await rooms.lobby())
      const ban = await this.#put('ban', room, actor, target, order)
      const { ms, reason } = order
      const end = ms === undefined ? ' without an end' : durationSuffix(ms)
      const text = `${actor.name} banned ${target.shown}${placeSuffix(room)}${end}${isMember ? ', who is no member any more' : ''}${reasonSuffix(reason)}`
      // Runs these together, so that no failure or wait leaves a banned person in the room.
      const [result] = await Promise.all([
        this.announceDone(toldIn, actor, text, actOf(ban, target)),
        removeBanned(ban, owner, this.parts),
        isMember &&
          stores.rooms
            .setMembership(room.name, target.people[0]!, null)
            .catch(warnOfStorage(log, 'could not end the membership of a banned person')),
      ])
      return result
    })
  }

  unban(room: Room | undefined, actor: Person, word: string): Promise<ActResult> {
    return this.inTurn(actor, undefined, async () => {
      await this.#assertMayBan(room, actor)
      const { sanctions, rooms, log } = this.parts
      const lifted = await this.#matching('ban', room, word)
      if (lifted.length === 0)
        throw new Refusal(`${word.slice(0, 60)} is not banned${placeSuffix(room)}; see /bans`)
      const isPrivate = (await room?.info())?.private === true
      const toldIn = room ?? (await rooms.lobby())
      await sanctions.lift(lifted)
      log.info({ by: actor.name, lifted: lifted.map(({ who }) => who) }, 'bans were lifted')
      const shown = shownTargets(lifted)
      const again = isPrivate ? '; an invitation lets them in again' : ''
      const text = `${actor.name} lifted the ban of ${shown}${placeSuffix(room)}${again}`
      return await this.announceDone(toldIn, actor, text, { verb: 'unban', who: shown })
    })
  }

  async bans(room: Room | undefined, actor: Person): Promise<readonly ListedSanction[]> {
    this.assertInGoodStanding(actor)
    await this.#assertMayBan(room, actor)
    const { sanctions, stores } = this.parts
    const all = sanctions.list(room?.name ?? null).filter(({ kind }) => kind !== 'archive')
    const withNames = async (one: Sanction): Promise<ListedSanction> => {
      const people = await Promise.all(one.people.map((id) => stores.people.byId(id)))
      const names = [...people, ...(await stores.people.holdersOf(one.keys))].flatMap(
        (each) => each?.name ?? [],
      )
      return { ...one, names: [...new Set(names)].toSorted() }
    }
    return await Promise.all(all.map(withNames))
  }

  kick(room: Room, actor: Person, name: string, reason: string): Promise<ActResult> {
    return this.inTurn(actor, room, async () => {
      const target = await this.#personIn(room, actor, name)
      const { who, people, keys } = target
      if (!room.present().some(inGroup(target))) throw new Refusal(`${who} is not in ${room.name}`)
      const text = `${actor.name} kicked ${who}${reasonSuffix(reason)}`
      const act = { verb: 'kick', who, ...(reason === '' ? {} : { reason }) } as const
      const result = await this.announce(room, actor, text, act)
      this.#stopWork(target, room, 'kicked')
      const why = `${actor.name} kicked you out of ${room.name}${reasonSuffix(reason)}; you may come back`
      await this.parts.clients.everywhere({
        act: 'leave',
        room: room.name,
        whom: { people, keys },
        text: why,
      })
      return result
    })
  }

  /** Lets somebody read and not speak, for `ms` or until `unmute`. */
  mute(room: Room, actor: Person, name: string, ms: number | undefined): Promise<ActResult> {
    return this.inTurn(actor, room, async () => {
      const target = await this.#personIn(room, actor, name)
      const mute = await this.#put('mute', room, actor, target, { ms, reason: '' })
      const text = `${actor.name} muted ${target.who}${durationSuffix(ms)}`
      return await this.announceDone(room, actor, text, actOf(mute, target))
    })
  }

  unmute(room: Room, actor: Person, name: string): Promise<ActResult> {
    return this.inTurn(actor, room, async () => {
      const lifted = await this.#matching('mute', room, name)
      if (lifted.length === 0) throw new Refusal(`${name.slice(0, 40)} is not muted in ${room.name}`)
      const who = shownTargets(lifted)
      await this.parts.sanctions.lift(lifted)
      const text = `${actor.name} unmuted ${who}`
      return await this.announceDone(room, actor, text, { verb: 'unmute', who })
    })
  }

  async #assertMayBan(room: Room | undefined, actor: Person): Promise<void> {
    if (room) {
      if (mayManage(await room.roleOf(actor))) return this.assertInGoodStanding(actor, room)
      throw new Refusal(`only the owner of ${room.name}, an op or an admin can ban people from it`)
    }
    if (actor.admin || (await this.parts.stores.people.byId(actor.id))?.admin) return
    throw new Refusal('only an admin can ban people from the server; ops of a room: /ban --room ROOM WHO')
  }

  /** Refuses a target of more addresses than a provider has, or of several people and half of all here. */
  #assertNarrow(target: Target, room: Room | undefined): void {
    const people = room?.present() ?? this.parts.clients.people(() => true)
    const here = new Set(people.map(({ name }) => name))
    const out = new Set(people.filter(inGroup(target)).map(({ name }) => name))
    const others = [...out].filter((name) => name !== target.who).length
    const isWide = others > 1 && out.size * 2 >= here.size
    const isHuge = target.network !== null && isBeyondProviders(target.network)
    if (!isWide && !isHuge) return
    throw new Refusal(
      `${target.who} covers ${isHuge ? 'more addresses than any provider has, and ' : ''}${out.size} of ${here.size} people here; to ban it all the same: ban --yes ${target.who}`,
    )
  }

  async #personIn(room: Room, actor: Person, name: string): Promise<Target> {
    const target = await findPerson(name, this.parts)
    await assertCanActOn(target, room, actor, this.parts)
    return target
  }

  async #put(
    kind: 'ban' | 'mute',
    room: Room | undefined,
    actor: Person,
    target: Target,
    { ms, reason }: Pick<BanOrder, 'ms' | 'reason'>,
  ): Promise<Sanction> {
    const { sanctions, clock, nextId } = this.parts
    const { who, people, keys, network } = target
    const at = clock.now()
    const sanction: Sanction = {
      id: nextId(),
      kind,
      room: room?.name ?? null,
      who,
      people,
      keys,
      network,
      reason,
      by: actor.name,
      at,
      until: ms === undefined ? null : at + ms,
    }
    // A person may have another name or other keys by now; another guest may have the guest's name.
    const isSame = (one: Sanction): boolean =>
      one.people.join() === people.join() &&
      (people.length > 0 || (one.who === who && one.keys.join() === keys.join()))
    await sanctions.put(sanction, this.#list(kind, room).filter(isSame))
    this.#stopWork(target, room, kind === 'ban' ? 'banned' : 'muted')
    return sanction
  }

  #list(kind: Sanction['kind'], room: Room | undefined): readonly Sanction[] {
    return this.parts.sanctions.list(room?.name ?? null).filter((one) => one.kind === kind)
  }

  #matching(kind: Sanction['kind'], room: Room | undefined, word: string): Promise<readonly Sanction[]> {
    return findSanctions(word, this.#list(kind, room), this.parts)
  }

  #stopWork(target: Target, room: Room | undefined, done: string): void {
    const { clients, server } = this.parts
    const names = new Set([target.who, ...clients.people(inGroup(target)).map(({ name }) => name)])
    void server.stopWork({ room: room?.name ?? null, names, why: `${target.shown} was ${done}` })
  }

  async #isPrivateMember(room: Room, { people: [id] }: Target): Promise<boolean> {
    if (id === undefined || !(await room.info()).private) return false
    return (await this.parts.stores.rooms.membership(room.name, id)) !== undefined
  }
}

const placeSuffix = (room: Room | undefined): string => (room ? ` from ${room.name}` : ' from the server')

const actOf = ({ kind, until, reason }: Sanction, { shown }: Target): ModerationAct => ({
  verb: kind,
  who: shown,
  ...(until === null ? {} : { until: new Date(until).toISOString() }),
  ...(reason === '' ? {} : { reason }),
})

/** No single address holder has more than an IPv4 /8 or an IPv6 /16. */
const isBeyondProviders = (network: string): boolean =>
  Number(network.split('/')[1]) < (network.includes(':') ? 16 : 8)

/** Shows a room only names of people, no keys or networks. */
const shownTargets = (sanctions: readonly Sanction[]): string =>
  [
    ...new Set(
      sanctions.map(({ who, network }) =>
        network !== null ? 'a network' : who.startsWith('SHA256:') ? 'a key' : who,
      ),
    ),
  ].join(', ')
