import { counted } from '../../base/amounts.ts'
import { isJsonObject, type Json } from '../../base/json.ts'
import { skeleton } from '../../base/text/names.ts'
import type { Entry, RoomName, Speaker } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { oneLine } from '../text/input-text.ts'
import type { Person, PersonId } from '../../words/person.ts'
import { readTodo, TODO_KEY } from '../room-values.ts'
import { saidBy } from '../talk/own-lines.ts'
import { Acting } from './acting.ts'
import { pause } from './keeping.ts'

/** `asked`: nothing was removed yet. */
interface PurgeOutcome {
  readonly kind: 'asked' | 'purged'
  readonly who: string
  /** Absent for guests. */
  readonly id?: PersonId
  readonly lines: number
  readonly rooms: number
  readonly routines: number
}

/** Lines in one transaction. */
const AT_ONCE = 200

/** The pause between two transactions in ms, in which the chat can write. */
const PAUSE_MS = 5

const MAX_NAME = 40

/** Removes what somebody said. All methods throw `Refusal` and reject with `StorageError`. */
export class Purging extends Acting {
  /**
   * Removes a person's lines and routines, or the lines of all guests with this name, what the lines set, and
   * each room's requests, results and summaries since the first line. Only counts unless `isSure`.
   */
  async purge(actor: Person, word: string, isSure: boolean): Promise<PurgeOutcome> {
    const { stores, clock, nextId, server } = this.parts
    this.assertInGoodStanding(actor)
    if (!actor.admin && !(await stores.people.byId(actor.id))?.admin)
      throw new Refusal('only an admin can remove the lines of a person')
    const name = word.replace(/^@/, '')
    const person = await stores.people.bySkeleton(skeleton(name), clock.now())
    const speaker = person ? { name: person.name, id: person.id } : { name: name.slice(0, MAX_NAME) }
    const found = await stores.retention.mayBeOf(speaker)
    const ids = saidBy(found, speaker)
    const said = found.filter(({ id }) => ids.has(id))
    const { routines, texts } = person
      ? await stores.retention.countOthers(person.id)
      : { routines: 0, texts: 0 }
    if (said.length + routines + texts === 0) throw new Refusal(`nothing is stored that ${speaker.name} said`)
    const rooms = byRoom(said)
    const counts = { who: speaker.name, lines: said.length, rooms: rooms.size, routines }
    if (!isSure) return { kind: 'asked', ...counts }
    const at = clock.now()
    const time = `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    const what = `lines from before ${time} removed: ${said.length}${routines > 0 ? `; routines: ${routines}` : ''}`
    await stores.retention.record({ id: nextId(), at, room: null, who: speaker.name, what, by: actor.name })
    for (const [room, lines] of rooms) await this.#removeFrom(room, lines, actor, speaker)
    if (person) await stores.retention.removeMessages(person)
    this.parts.log.info({ by: actor.name, ...counts }, 'removed the lines of a person')
    void server.tidy()
    return { kind: 'purged', ...counts, ...(person && { id: person.id }) }
  }

  async #removeFrom(name: RoomName, lines: readonly Entry[], actor: Person, purged: Speaker): Promise<void> {
    const { stores, server, rooms, clock } = this.parts
    const { retention } = stores
    const [first] = lines
    if (!first) return
    // Stops turns, which would store their requests once more.
    await server.stopWork({ room: name, why: `what ${purged.name} said is being removed` })
    await this.#clearRoom(name, lines)
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

  /** Removes the topic, the vibe and the todo items that the lines set, unless others replaced them. */
  async #clearRoom(name: RoomName, lines: readonly Entry[]): Promise<void> {
    const { rooms } = this.parts.stores
    const room = await rooms.find(name)
    for (const what of ['topic', 'vibe'] as const)
      if (isSetBy(lines, what, room?.[what] ?? '')) await rooms.update(name, { [what]: '' })
    const theirs = new Set(lines.flatMap(todoContents))
    const items = readTodo(await rooms.getValue(name, TODO_KEY))
    const others = items.filter(({ content }) => !theirs.has(content))
    if (others.length < items.length)
      await rooms.setValue(name, TODO_KEY, others.length > 0 ? others.map((one) => ({ ...one })) : undefined)
  }
}

/** True if one of the lines is the notice of this topic or vibe. */
const isSetBy = (lines: readonly Entry[], what: 'topic' | 'vibe', text: string): boolean =>
  text !== '' &&
  lines.some((line) => line.kind === 'notice' && line.text.endsWith(` set the ${what}: ${text}`))

/** The items that a tool call wrote, in the form in which the todo list has them. */
function todoContents(entry: Entry): readonly string[] {
  if (entry.kind !== 'tool_call' || !isJsonObject(entry.arguments)) return []
  const { todos } = entry.arguments
  const items: readonly Json[] = Array.isArray(todos) ? todos : []
  return items
    .filter(isJsonObject)
    .flatMap(({ content }) => (typeof content === 'string' ? [oneLine(content, Infinity)] : []))
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
