import { Refusal } from '../words/errors.ts'
import type { ByteQuota, RateLimiter, Peers, Room, Rooms } from '../chat/index.ts'
import type { Person } from '../words/person.ts'
import type { Log } from '../base/environment.ts'
import { type FileFacts, type FileTree, NoSuchFile, type OpenFile, type OpenMode } from '../base/file-tree.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import type { ClientHandler } from '../terminal/index.ts'
import { ArrivedFiles } from './arrived-files.ts'
import { type Door, untilKicked } from './door.ts'

interface RoomFilesParts {
  readonly rooms: Pick<Rooms, 'get' | 'list'>
  readonly pace: RateLimiter
  readonly bytes: ByteQuota
  readonly upToDate: Peers['upToDate']
  readonly log: Log
  /** The files of a room's workspace, changed in the person's name; paths are relative. */
  filesOf(room: string, person: Person): FileTree
}

/** Serves a person's files to a client until the person is removed. */
export const createFileServing =
  (door: Pick<Door, 'begin' | 'whyOut'>, parts: RoomFilesParts): NonNullable<ClientHandler['files']> =>
  (person, pipe, serve) =>
    untilKicked(person, pipe, door, async (own) => {
      const files = new PersonalFiles(person, own.signal, parts)
      try {
        await serve(files, own)
      } finally {
        await files.arrived.flush()
      }
      return 0
    })

interface Place {
  readonly room: Room
  readonly inside: string
}

const FACTS_PER_TURN = 20
const RECHECK_MS = 1_000
/** Fraction of the daily bytes: with the rest a person can still send messages. */
const FILES_FRACTION = 7 / 8

/**
 * A person's files as `/ROOM/dir/file`; `/` lists the rooms they see. Changes are paced like messages and
 * share the daily byte quota. Rejects with `Refusal`, `StorageError`, `NoSuchFile`, or a room's file errors.
 */
class PersonalFiles implements FileTree {
  readonly #person: Person
  readonly #signal: AbortSignal
  readonly #parts: RoomFilesParts
  readonly arrived: ArrivedFiles
  #asked = 0

  /** `signal` is aborted when the person disconnects or is removed. */
  constructor(person: Person, signal: AbortSignal, parts: RoomFilesParts) {
    this.#person = person
    this.#signal = signal
    this.#parts = parts
    this.arrived = new ArrivedFiles(person, parts.log)
  }

  async facts(path: string): Promise<FileFacts> {
    // Clients request metadata often, so only every 20th request is paced.
    if (++this.#asked % FACTS_PER_TURN === 0) await this.#turn()
    if (path === '/') return directory('/')
    const { name, inside } = partsOf(path)
    const room = await this.#room(name)
    return inside === '' ? directory(room.name) : await this.#filesOf(room).facts(inside)
  }

  async *list(path: string): AsyncGenerator<FileFacts, void, void> {
    if (path === '/') {
      await this.#turn()
      return yield* (await this.#parts.rooms.list(this.#person)).map(({ name }) => directory(name))
    }
    const { room, inside } = await this.#at(path)
    const check = this.#checkOf(room, 'read')
    for await (const one of this.#filesOf(room).list(inside)) {
      await check(1)
      yield one
    }
  }

  async open(path: string, how: OpenMode): Promise<OpenFile> {
    const { room, inside } = await (how === 'read' ? this.#at(path) : this.#toChange(path))
    const files = this.#filesOf(room)
    if (how === 'read') return await files.open(inside, how, this.#checkOf(room, how))
    assertVisible(inside)
    const isNew = (await factsIfThere(files, inside)) === undefined
    const file = await files.open(inside, how, this.#checkOf(room, how))
    this.#parts.log.info({ person: this.#person.name, room: room.name, file: inside }, 'a file is put')
    return this.arrived.watch(room, inside, isNew ? 'made' : 'changed', file)
  }

  async makeDirectory(path: string): Promise<void> {
    const { room, inside } = await this.#toChange(path)
    assertVisible(inside)
    await this.#filesOf(room).makeDirectory(inside)
  }

  async remove(path: string, kind: 'file' | 'directory'): Promise<void> {
    const { room, inside } = await this.#toChange(path)
    await this.#filesOf(room).remove(inside, kind)
    this.arrived.removed(room, inside)
    const file = visibleLine(inside)
    this.#parts.log.info({ person: this.#person.name, room: room.name, file }, 'a file was removed')
  }

  async rename(path: string, to: string): Promise<void> {
    const { room, inside } = await this.#toChange(path)
    const target = partsOf(to)
    if (target.name !== room.name || target.inside === '')
      throw new Refusal(`a file of ${room.name} stays in it; get it and put it into the other room`)
    assertVisible(target.inside)
    await this.#filesOf(room).rename(inside, target.inside)
    this.arrived.renamed(room, inside, target.inside)
  }

  async #toChange(path: string): Promise<Place> {
    const place = await this.#at(path)
    const { room, inside } = place
    if (this.#person.guest)
      throw new Refusal('guests can get files, but not put any; log in with a name of your own')
    if (inside === '') throw new Refusal(`${room.name} is a room; put files into it, as /${room.name}/FILE`)
    room.needVoice(this.#person)
    return place
  }

  /** Resolves a path; `inside` is empty for the room itself. Waits for the person's pace. */
  async #at(path: string): Promise<Place> {
    await this.#turn()
    const { name, inside } = partsOf(path)
    return { room: await this.#room(name), inside }
  }

  #filesOf({ name }: Room): FileTree {
    return this.#parts.filesOf(name, this.#person)
  }

  async #turn(): Promise<void> {
    await this.#parts.pace.next(this.#person, this.#signal)
    await this.#parts.upToDate()
  }

  /** Answers alike for a missing room and a room that the person may not see. */
  async #room(name: string): Promise<Room> {
    this.#signal.throwIfAborted()
    try {
      return await this.#parts.rooms.get(name, this.#person)
    } catch (error) {
      if (error instanceof Refusal) throw new NoSuchFile(error.message, { cause: error })
      throw error
    }
  }

  /** Checks the right to speak before each write, and access to the room each second and at the end. */
  #checkOf(room: Room, how: OpenMode): (bytes: number) => Promise<void> {
    let askedAt = performance.now()
    return async (bytes) => {
      if (bytes === 0 || performance.now() - askedAt > RECHECK_MS) {
        await this.#room(room.name)
        askedAt = performance.now()
      }
      if (how === 'read') return
      room.needVoice(this.#person)
      if (bytes > 0) this.#parts.bytes.take(this.#person, bytes, FILES_FRACTION)
    }
  }
}

async function factsIfThere(files: FileTree, path: string): Promise<FileFacts | undefined> {
  try {
    return await files.facts(path)
  } catch (error) {
    if (error instanceof NoSuchFile) return undefined
    throw error
  }
}

/** Splits an absolute, normalized path. */
function partsOf(path: string): { readonly name: string; readonly inside: string } {
  const [name = '', ...inside] = path.split('/').filter((part) => part !== '')
  return { name, inside: inside.join('/') }
}

/** Throws `Refusal` if a screen or a log would show another name, or more than one line. */
function assertVisible(path: string): void {
  const shown = visibleLine(path)
  if (shown !== path)
    throw new Refusal(`'${shown}' has control or invisible characters, which are not allowed in names`)
}

const directory = (name: string): FileFacts => ({ name, kind: 'directory', size: 0, modifiedAt: 0 })
