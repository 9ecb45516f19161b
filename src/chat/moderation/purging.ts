import { counted } from '../../lib/amounts.ts'
import { skeleton } from '../../lib/text/names.ts'
import type { Entry, RoomName, Speaker } from '../entry.ts'
import { Refusal } from '../errors.ts'
import type { Person } from '../people/person.ts'
import { saidBy } from '../talk/own-lines.ts'
import { Acting } from './acting.ts'
import { pause } from './keeping.ts'

/** `asked`: nothing was done yet. */
interface Purged {
  readonly kind: 'asked' | 'purged'
  readonly who: string
  readonly lines: number
  readonly rooms: number
}

/** Lines in one transaction. */
const AT_ONCE = 200

/** The pause between two transactions in ms, in which the chat can write. */
const PAUSE_MS = 5

const MAX_NAME = 40

/** Removes what somebody said. All methods throw `Refusal` and reject with `StorageError`. */
export class Purging extends Acting {
  /**
   * Removes all lines of a person, or of guests who had the name, and in each room the requests, long results
   * and summaries since the first of these lines. Without `isSure` it only counts.
   */
  async purge(actor: Person, word: string, isSure: boolean): Promise<Purged> {
    const { stores, clock, nextId, server } = this.parts
    this.assertInGoodStanding(actor)
    if (!actor.admin && !(await stores.people.byId(actor.id))?.admin)
      throw new Refusal('only an admin can remove what somebody said')
    const name = word.replace(/^@/, '')
    const person = await stores.people.bySkeleton(skeleton(name), clock.now())
    const speaker = person ? { name: person.name, id: person.id } : { name: name.slice(0, MAX_NAME) }
    const found = await stores.retention.mayBeOf(speaker)
    const ids = saidBy(found, speaker)
    const said = found.filter(({ id }) => ids.has(id))
    if (said.length === 0) throw new Refusal(`nothing is stored that ${speaker.name} said`)
    const rooms = byRoom(said)
    const counts = { who: speaker.name, lines: said.length, rooms: rooms.size }
    if (!isSure) return { kind: 'asked', ...counts }
    const at = clock.now()
    const time = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    const what = `lines from before ${time} removed: ${said.length}`
    await stores.retention.record({ id: nextId(), at, room: null, who: speaker.name, what, by: actor.name })
    for (const [room, lines] of rooms) await this.#removeFrom(room, lines, actor, speaker)
    if (person) await stores.retention.removeMessages(person.id)
    this.parts.log.info({ by: actor.name, ...counts }, 'what somebody said was removed')
    void server.tidy()
    return { kind: 'purged', ...counts }
  }

  async #removeFrom(name: RoomName, lines: readonly Entry[], actor: Person, purged: Speaker): Promise<void> {
    const { stores, server, rooms, clock } = this.parts
    const { retention } = stores
    const [first] = lines
    if (!first) return
    // Stops turns, which would store their requests once more.
    await server.stopWork({ room: name, why: `what ${purged.name} said is being removed` })
    await server.forget(name, first.id, async () => {
      for (let at = 0; at < lines.length; at += AT_ONCE) {
        if (at > 0) await pause(clock, PAUSE_MS)
        await retention.removeLines(lines.slice(at, at + AT_ONCE).map(({ id }) => id))
      }
      while (await retention.removeCopies(name, first.at));
    })
    const text = `${actor.name} removed ${counted(lines.length, 'line')} of ${purged.name}`
    const room = await rooms.anyRoom(name)
    await room?.record({ kind: 'notice', level: 'info', author: actor.name, text, purged })
  }
}

function byRoom(said: readonly Entry[]): ReadonlyMap<RoomName, readonly Entry[]> {
  const rooms = new Map<RoomName, Entry[]>()
  for (const line of said) {
    const lines = rooms.get(line.room) ?? []
    rooms.set(line.room, lines)
    lines.push(line)
  }
  return rooms
}
