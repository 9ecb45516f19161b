import type { Entry, RoomName } from '../../chat/entry.ts'
import { valuesWithExits, readTodo, TODO_KEY } from '../../chat/room-values.ts'
import type { Slots } from '../../chat/peers.ts'
import { SYSTEM } from '../../chat/people/names.ts'
import type { PersonId } from '../../chat/people/person.ts'
import type { Clock, Log, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import type { JsonObject } from '../../lib/json.ts'
import { type Composer, type StoredScript, WrapError } from '../ports.ts'
import { HEARD_KINDS, type HookName, type HookOutcome } from './hook.ts'
import { createHookLog } from './hook-log.ts'
import type { HookScripts } from './hook-scripts.ts'
import { createRoomQueues } from './room-queues.ts'

/** The hooks of all rooms. Disposing ends those that run; no more are run then. */
export interface RoomHooks extends AsyncDisposable {
  /**
   * Asks the room's script about a call that is about to run; `call` is asked where there is such a script. Resolves with the reason why it may not; undefined if it
   * may. A hook that fails refuses. Rejects with `StorageError`, or with the signal's reason.
   */
  beforeToolCall(
    room: Room,
    call: () => Promise<JsonObject>,
    signal: AbortSignal,
  ): Promise<string | undefined>
  /** Tells the room's script of a turn that has ended. Returns at once. */
  afterTurn(room: Room, turn: JsonObject): void
  /** Tells the script of the entry's room, if somebody spoke. Takes entries in the order of the log, and returns at once. */
  onEntry(entry: Entry): void
  /** What the hooks of a room have logged since the server started, the newest last. */
  logOf(room: RoomName): readonly string[]
}

/** Each room queues its own on its server before that. */
const LIMITS = { running: 1, waiting: 1_000 }
const NOBODY = '' as PersonId

/** What hooks need of the server. */
export interface RoomHooksParts {
  readonly rooms: Pick<RoomStore, 'values' | 'setValue'>
  readonly scripts: Pick<HookScripts, 'withHook'>
  readonly composer: Pick<Composer, 'runHook'>
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly modelNames: () => readonly string[]
  readonly slots: Pick<Slots, 'take'>
  readonly nextId: () => string
  readonly clock: Clock
  readonly log: Log
}

export function createRoomHooks(parts: RoomHooksParts): RoomHooks {
  const closing = new AbortController()
  const hookLog = createHookLog(parts.clock)

  async function run(
    room: Room,
    script: StoredScript,
    name: HookName,
    argument: JsonObject,
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    const [info, values] = await Promise.all([room.info(), parts.rooms.values(room.name)])
    const { topic, vibe, private: isPrivate } = info
    const shown = Object.fromEntries(valuesWithExits(values, []))
    const todo = readTodo(values.get(TODO_KEY))
    const facts = { name: room.name, topic, vibe, private: isPrivate, todo, values: shown }
    const now = parts.clock.now()
    const { source, version, author } = script
    const outcome = await parts.composer.runHook(
      { name, script: { source, version }, author, argument, now, room: facts },
      signal,
    )
    hookLog.add(room.name, name, outcome.log)
    return outcome
  }

  /** Runs a hook that nobody waits for: stores what it set; the room is told once of a script's hook that fails. */
  async function runLater(name: HookName, roomName: RoomName, argument: JsonObject): Promise<void> {
    try {
      const script = await parts.scripts.withHook(roomName, name)
      const room = script && (await parts.room(roomName))
      if (!room) return
      try {
        await inSlot(roomName, async () => {
          const { values } = await run(room, script, name, argument, closing.signal)
          for (const [key, value] of values)
            await parts.rooms.setValue(roomName, key, value === null ? undefined : value)
        })
      } catch (error) {
        if (!(error instanceof WrapError)) throw error
        await tellOnce(room, script.version, name, error.message)
      }
    } catch (error) {
      if (!closing.signal.aborted) parts.log.warn({ error, room: roomName, hook: name }, 'a hook was not run')
    }
  }

  /** Runs a job while no server runs another one in the room: what it has read, no other changes meanwhile. */
  async function inSlot(room: RoomName, job: () => Promise<void>): Promise<void> {
    const id = `hook ${parts.nextId()}`
    const work = { id, kind: 'hook', queue: `hook ${room}`, room, person: NOBODY, facts: {} } as const
    let giveUp = (): void => {}
    const slot = await parts.slots.take(work, () => LIMITS, { stop() {}, lost: () => giveUp() })
    if ('running' in slot) throw new Error(`${slot.waiting} hooks of ${room} wait on all servers already`)
    giveUp = slot.giveUp
    try {
      await slot.ready
      await job()
    } finally {
      await slot.leave()
    }
  }

  async function tellOnce(room: Room, version: number, name: HookName, why: string): Promise<void> {
    hookLog.add(room.name, name, [`failed: ${why}`])
    if (!hookLog.isFirstFailure(room.name, version, name)) return
    const text = `the room's script failed in ${name}: ${why} (told once; /script log has the others)`
    await room.record({ kind: 'notice', level: 'error', author: SYSTEM, text })
  }

  /** A room whose script has no such hook loses nothing. */
  async function tellFull(room: RoomName, name: HookName): Promise<void> {
    try {
      if (!(await parts.scripts.withHook(room, name))) return
      hookLog.add(room, name, ['left out: too many calls were waiting'])
      parts.log.warn({ room, hook: name }, 'a room has too many calls of hooks waiting; some are left out')
    } catch (error) {
      parts.log.warn({ error, room, hook: name }, 'a script could not be read')
    }
  }

  const queues = createRoomQueues(runLater, (room, name) => void tellFull(room, name))

  return {
    async beforeToolCall(room, call, signal) {
      const script = await parts.scripts.withHook(room.name, 'before_tool_call')
      if (!script) return undefined
      const ended = AbortSignal.any([signal, closing.signal])
      try {
        const { refusal } = await run(room, script, 'before_tool_call', await call(), ended)
        return refusal === undefined
          ? undefined
          : `refused by the room's script: ${refusal || 'it gives no reason'}`
      } catch (error) {
        if (!(error instanceof WrapError)) throw error
        hookLog.add(room.name, 'before_tool_call', [`failed: ${error.message}`])
        return `not run: the room's script failed in before_tool_call: ${error.message}`
      }
    },
    afterTurn: (room, turn) => queues.add(room.name, 'after_turn', turn),
    onEntry(entry) {
      if (HEARD_KINDS.has(entry.kind) && entry.thread === undefined && isNew(entry))
        queues.add(entry.room, 'on_message', rowOf(entry, parts.modelNames()))
    },
    logOf: (room) => hookLog.of(room),
    async [Symbol.asyncDispose]() {
      closing.abort(new Error('the server is stopping'))
      await queues.close()
    },
  }
}

/** A new version of a message, and a reaction to one, are not said anew. */
const isNew = (entry: Entry): boolean => !('edits' in entry || 'reacts' in entry)

/** An entry as `tools.history` gives it. */
function rowOf({ id, at, kind, author, text }: Entry, models: readonly string[]): JsonObject {
  return { id, at, kind, author, text, agent: kind === 'reply' || models.includes(author) }
}
