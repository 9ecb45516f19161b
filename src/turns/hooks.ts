import type { Entry, EntryKind, RoomName } from '../words/entry.ts'
import { type Slots, type RoomStore, readTodo, TODO_KEY, valuesWithExits, type Room } from '../chat/index.ts'
import { splitLabel, SYSTEM } from '../words/names.ts'
import { keyOfGuest, type PersonId } from '../words/person.ts'
import type { Clock, Log } from '../base/environment.ts'
import type { JsonObject } from '../base/json.ts'
import type { HookScripts } from './hook-scripts.ts'
import {
  type Composer,
  type HookName,
  type HookOutcome,
  type HookSpeech,
  type StoredScript,
  WrapError,
} from '../wrap/index.ts'

/** Waiting calls in one room; further calls are dropped. */
const MAX_WAITING = 64
/** Each room runs one queued call at a time on all servers. */
const SLOTS = { running: 1, waiting: 1_000 }
const NOBODY = '' as PersonId
/** Kinds of entries for `on_message`. */
const MESSAGE_KINDS: ReadonlySet<EntryKind> = new Set<EntryKind>(['message', 'action', 'reply'])

type Report = (problem: string) => void

/** Says a line for the person who set the script. Resolves to the reason if it is not said. */
type Speak = (
  room: Room,
  script: Pick<StoredScript, 'person'>,
  speech: HookSpeech,
  signal: AbortSignal,
) => Promise<string | undefined>

export interface RoomHooksParts {
  readonly rooms: Pick<RoomStore, 'values' | 'setValue'>
  readonly scripts: Pick<HookScripts, 'withHook'>
  readonly composer: Pick<Composer, 'runHook'>
  readonly room: (name: RoomName) => Promise<Room | undefined>
  readonly modelNames: () => readonly string[]
  readonly slots: Pick<Slots, 'take'>
  /** Calls `report`, also later, with the reason why the webhook cannot be called. */
  readonly sendWebhook: (name: string, from: RoomName, said: JsonObject, report: Report) => void
  readonly nextId: () => string
  readonly clock: Clock
  readonly log: Log
}

interface HookCall {
  readonly name: HookName
  readonly argument: JsonObject
  /** Why the hook may not speak; undefined if it may. */
  readonly whyMute?: string | undefined
}

/** A room's hook calls that nobody awaits, in the order of the log. */
interface Queue {
  readonly waiting: HookCall[]
  drained: Promise<void>
  /** True if the log already says that the queue is full. */
  isFull: boolean
}

/** Calls the hooks of all rooms' scripts. Disposing ends running hooks. */
export class RoomHooks implements AsyncDisposable {
  readonly #parts: RoomHooksParts
  readonly #hookLog = new HookLog()
  readonly #closing = new AbortController()
  readonly #queues = new Map<RoomName, Queue>()
  /** Set once the routines, which say these lines, exist. */
  speak: Speak | undefined

  constructor(parts: RoomHooksParts) {
    this.#parts = parts
  }

  /** Resolves to the reason against a call, or a hook's failure. Rejects with `StorageError`, or on abort. */
  async beforeToolCall(
    room: Room,
    call: () => Promise<JsonObject>,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const name = 'before_tool_call'
    const script = await this.#parts.scripts.withHook(room.name, name)
    if (!script) return undefined
    const ended = AbortSignal.any([signal, this.#closing.signal])
    try {
      const { refusal } = await this.#run(room, script, name, await call(), ended)
      if (refusal === undefined) return undefined
      return `refused by the room's script: ${refusal || 'it gives no reason'}`
    } catch (error) {
      if (!(error instanceof WrapError)) throw error
      this.#log(room.name, name, [`failed: ${error.message}`])
      return `not run: the room's script failed in before_tool_call: ${error.message}`
    }
  }

  afterTurn(room: Room, turn: JsonObject): void {
    this.#add(room.name, { name: 'after_turn', argument: turn })
  }

  /** Takes entries in the order of the log. */
  readonly onEntry = (entry: Entry): void => {
    const { id, at, kind, author, text } = entry
    // Edits and reactions are no new messages.
    if (!MESSAGE_KINDS.has(kind) || entry.thread !== undefined || 'edits' in entry || 'reacts' in entry)
      return
    const agent = kind === 'reply' || this.#parts.modelNames().includes(splitLabel(author).model)
    const argument = { id, at, kind, author, text, agent }
    const isPosted = 'posted' in entry
    const isByProgram = isPosted || entry.byProgram === true
    const whyMute = whyMuteFor(entry)
    // Prevents an endless loop with a program that posts in answer to a webhook.
    if (!isPosted)
      this.#add(entry.room, {
        name: 'on_message',
        argument,
        whyMute:
          whyMute ?? (isByProgram ? 'a program said the line, which on_program_line may answer' : undefined),
      })
    if (isByProgram) this.#add(entry.room, { name: 'on_program_line', argument, whyMute })
  }

  /** Returns the lines since the server started, the newest last. */
  logOf(room: RoomName): readonly string[] {
    return this.#hookLog.of(room)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the server is stopping'))
    const open = [...this.#queues.values()]
    for (const { waiting } of open) waiting.length = 0
    await Promise.all(open.map(({ drained }) => drained))
  }

  #log(room: RoomName, name: HookName, lines: readonly string[]): void {
    this.#hookLog.add(this.#parts.clock.now(), room, name, lines)
  }

  #add(room: RoomName, call: HookCall): void {
    if (this.#closing.signal.aborted) return
    const queue = this.#queues.get(room) ?? this.#open(room)
    if (queue.waiting.length < MAX_WAITING) {
      queue.waiting.push(call)
      queue.isFull = false
      return
    }
    if (!queue.isFull) void this.#logFull(room, call.name)
    queue.isFull = true
  }

  #open(room: RoomName): Queue {
    const queue: Queue = { waiting: [], drained: Promise.resolve(), isFull: false }
    this.#queues.set(room, queue)
    // Starts after the first call was added.
    queue.drained = Promise.resolve().then(async () => {
      for (let call = queue.waiting.shift(); call; call = queue.waiting.shift())
        await this.#runLater(room, call)
      this.#queues.delete(room)
    })
    return queue
  }

  async #runLater(roomName: RoomName, { name, argument, whyMute }: HookCall): Promise<void> {
    const { scripts, rooms, log } = this.#parts
    try {
      const script = await scripts.withHook(roomName, name)
      const room = script && (await this.#parts.room(roomName))
      if (!room) return
      try {
        await this.#inSlot(roomName, async () => {
          const { signal } = this.#closing
          const { values, webhook, speech } = await this.#run(room, script, name, argument, signal)
          for (const [key, value] of values)
            await rooms.setValue(roomName, key, value === null ? undefined : value)
          const report: Report = (problem) => this.#log(roomName, name, [problem])
          if (webhook !== undefined) this.#parts.sendWebhook(webhook, roomName, argument, report)
          if (!speech) return
          const why = whyMute ?? (await this.speak?.(room, script, speech, signal))
          if (why !== undefined) report(`${speech.asks === undefined ? 'not said' : 'not asked'}: ${why}`)
        })
      } catch (error) {
        if (!(error instanceof WrapError)) throw error
        await this.#tellOnce(room, script.version, name, error.message)
      }
    } catch (error) {
      if (!this.#closing.signal.aborted) log.warn({ error, room: roomName, hook: name }, 'a hook was not run')
    }
  }

  /** Runs a job while no server runs another job in the room, which could change what this one has read. */
  async #inSlot(room: RoomName, job: () => Promise<void>): Promise<void> {
    const { slots, nextId } = this.#parts
    const id = `hook ${nextId()}`
    const work = { id, kind: 'hook', queue: `hook ${room}`, room, person: NOBODY, facts: {} } as const
    let giveUp = (): void => {}
    const slot = await slots.take(work, () => SLOTS, { stop() {}, lost: () => giveUp() })
    if ('running' in slot) throw new Error(`${slot.waiting} hooks of ${room} wait on all servers already`)
    giveUp = slot.giveUp
    try {
      await slot.ready
      await job()
    } finally {
      await slot.leave()
    }
  }

  async #run(
    room: Room,
    { source, version, author }: StoredScript,
    name: HookName,
    argument: JsonObject,
    signal: AbortSignal,
  ): Promise<HookOutcome> {
    const { rooms, composer, clock } = this.#parts
    const [info, values] = await Promise.all([room.info(), rooms.values(room.name)])
    const facts = {
      name: room.name,
      topic: info.topic,
      vibe: info.vibe,
      private: info.private,
      todo: readTodo(values.get(TODO_KEY)),
      values: Object.fromEntries(valuesWithExits(values, [])),
    }
    const script = { source, version }
    const run = { name, script, author, argument, now: clock.now(), room: facts }
    const outcome = await composer.runHook(run, signal)
    this.#log(room.name, name, outcome.log)
    return outcome
  }

  async #tellOnce(room: Room, version: number, name: HookName, why: string): Promise<void> {
    this.#log(room.name, name, [`failed: ${why}`])
    if (!this.#hookLog.isFirstFailure(room.name, version, name)) return
    const text = `the room's script failed in ${name}: ${why} (reported once; /script log has further failures)`
    await room.record({ kind: 'notice', level: 'error', author: SYSTEM, text })
  }

  async #logFull(room: RoomName, name: HookName): Promise<void> {
    const { scripts, log } = this.#parts
    try {
      if (!(await scripts.withHook(room, name))) return
      this.#log(room, name, ['left out: too many calls were waiting'])
      log.warn({ room, hook: name }, 'a room has too many calls of hooks waiting; some are left out')
    } catch (error) {
      log.warn({ error, room, hook: name }, 'a script could not be read')
    }
  }
}

function whyMuteFor(entry: Entry): string | undefined {
  if (entry.kind === 'reply' || entry.by === undefined || 'routine' in entry)
    return 'a model, a tool, a routine or a hook said the line'
  return keyOfGuest(entry.by) === undefined ? undefined : 'a guest said the line'
}

const MAX_LINES = 50
const MAX_ROOMS = 256

/** `failed` lists the hooks that failed in the current script, as `version name`. */
type LoggedRoom = { readonly lines: string[]; failed: string[] }

class HookLog {
  readonly #rooms = new Map<RoomName, LoggedRoom>()

  add(now: number, room: RoomName, hook: HookName, added: readonly string[]): void {
    if (added.length === 0) return
    const { lines } = this.#kept(room)
    const at = new Date(now).toISOString()
    lines.push(...added.map((line) => `${at}  ${hook}  ${line}`))
    lines.splice(0, lines.length - MAX_LINES)
  }

  /** True once for each hook of a script's version. */
  isFirstFailure(room: RoomName, version: number, hook: HookName): boolean {
    const kept = this.#kept(room)
    const failure = `${version} ${hook}`
    if (kept.failed.includes(failure)) return false
    kept.failed = [...kept.failed.filter((one) => one.startsWith(`${version} `)), failure]
    return true
  }

  of(room: RoomName): readonly string[] {
    return this.#rooms.get(room)?.lines ?? []
  }

  #kept(room: RoomName): LoggedRoom {
    const known = this.#rooms.get(room) ?? { lines: [], failed: [] }
    this.#rooms.delete(room)
    this.#rooms.set(room, known)
    const [oldest] = this.#rooms.keys()
    if (oldest !== undefined && this.#rooms.size > MAX_ROOMS) this.#rooms.delete(oldest)
    return known
  }
}
