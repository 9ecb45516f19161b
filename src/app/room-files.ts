import { Refusal, StorageError } from '../chat/errors.ts'
import type { ByteQuota, RateLimiter } from '../chat/limits.ts'
import type { Sanctions } from '../chat/moderation/sanctions.ts'
import type { Peers } from '../chat/peers.ts'
import type { Person } from '../chat/people/person.ts'
import type { Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import type { Rooms } from '../chat/rooms.ts'
import { type FileFacts, type FileTree, NoSuchFile, type OpenFile, type OpenMode } from '../lib/file-tree.ts'
import type { ClientHandler } from '../session/ports.ts'
import { type Door, untilPutOut } from './door.ts'

interface RoomFilesParts {
  readonly rooms: Pick<Rooms, 'get' | 'list'>
  readonly sanctions: Pick<Sanctions, 'whyOut'>
  readonly pace: RateLimiter
  readonly bytes: ByteQuota
  readonly upToDate: Peers['upToDate']
  readonly log: Log
  /** The files of a room's workspace; the paths in them are relative. */
  filesOf(room: string): FileTree
}

/** Lets a client use the files of a person, until the person is put out. */
export const createFileServing =
  (door: Pick<Door, 'begin' | 'whyOut'>, parts: RoomFilesParts): NonNullable<ClientHandler['files']> =>
  (person, pipe, serve) =>
    untilPutOut(person, pipe, door, async (own) => {
      await serve(new PersonalFiles(person, own.signal, parts), own)
      return 0
    })

/** A path, taken apart. Both are empty for `/`, and `inside` for a room. */
interface Place {
  readonly name: string
  readonly inside: string
}

/** OpenSSH takes no packet over 256 KiB. */
const ROOMS_AT_ONCE = 100

const FACTS_A_TURN = 20

const ASK_AGAIN_MS = 1_000

const READ_ONLY = 'a guest gets files and puts none; log in with a name of your own'

/**
 * The files that a person may use, as `/ROOM/dir/file`; `/` lists the rooms that they see. Whatever changes
 * files is paced as a line, and its bytes count as entered ones. Rejects with `Refusal`, `StorageError`,
 * `NoSuchFile`, and with what the files of a room reject with.
 */
class PersonalFiles implements FileTree {
  readonly #person: Person
  readonly #signal: AbortSignal
  readonly #parts: RoomFilesParts
  #asked = 0

  /** `signal` is aborted when the person is gone or put out. */
  constructor(person: Person, signal: AbortSignal, parts: RoomFilesParts) {
    this.#person = person
    this.#signal = signal
    this.#parts = parts
  }

  async facts(path: string): Promise<FileFacts> {
    // Clients ask for facts again and again, so that not each request is paced.
    if (++this.#asked % FACTS_A_TURN === 0) await this.#turn()
    const { name, inside } = placeOf(path)
    if (name === '') return directory('/')
    const room = await this.#room(name)
    return inside === '' ? directory(room.name) : await this.#filesOf(room).facts(inside)
  }

  async *list(path: string): AsyncGenerator<readonly FileFacts[], void, void> {
    await this.#turn()
    const { name, inside } = placeOf(path)
    if (name !== '') {
      for await (const some of this.#filesOf(await this.#room(name)).list(inside)) {
        await this.#room(name)
        yield some
      }
      return
    }
    const rooms = await this.#parts.rooms.list(this.#person)
    for (let at = 0; at < rooms.length; at += ROOMS_AT_ONCE)
      yield rooms.slice(at, at + ROOMS_AT_ONCE).map((room) => directory(room.name))
  }

  async open(path: string, how: OpenMode): Promise<OpenFile> {
    if (how === 'read') {
      await this.#turn()
      const { name, inside } = placeOf(path)
      const room = await this.#room(name)
      return this.#checked(await this.#filesOf(room).open(inside, how), name, () => undefined)
    }
    const { room, inside } = await this.#toChange(path)
    const file = await this.#filesOf(room).open(inside, how)
    this.#parts.log.info({ person: this.#person.name, room: room.name, file: inside }, 'a file is put')
    return this.#checked(file, room.name, () => room.needVoice(this.#person))
  }

  async makeDirectory(path: string): Promise<void> {
    const { room, inside } = await this.#toChange(path)
    await this.#filesOf(room).makeDirectory(inside)
  }

  async remove(path: string, kind: 'file' | 'directory'): Promise<void> {
    const { room, inside } = await this.#toChange(path)
    await this.#filesOf(room).remove(inside, kind)
    this.#parts.log.info({ person: this.#person.name, room: room.name, file: inside }, 'a file was removed')
  }

  async rename(path: string, to: string): Promise<void> {
    const { room, inside } = await this.#toChange(path)
    const target = placeOf(to)
    if (target.name !== room.name || target.inside === '')
      throw new Refusal(`a file of ${room.name} stays in it; get it and put it into the other room`)
    await this.#filesOf(room).rename(inside, target.inside)
  }

  /** What the person may change: a path inside a room. Waits for their turn. */
  async #toChange(path: string): Promise<{ readonly room: Room; readonly inside: string }> {
    await this.#turn()
    const { name, inside } = placeOf(path)
    const room = await this.#room(name)
    if (this.#person.guest) throw new Refusal(READ_ONLY)
    if (inside === '') throw new Refusal(`${room.name} is a room; put files into it, as /${room.name}/FILE`)
    room.needVoice(this.#person)
    return { room, inside }
  }

  async #turn(): Promise<void> {
    await this.#parts.pace.next(this.#person, this.#signal)
    await this.#parts.upToDate()
  }

  /** Says the same of a room that the person may not see as of none. */
  async #room(name: string): Promise<Room> {
    this.#assertIn()
    try {
      return await this.#parts.rooms.get(name, this.#person)
    } catch (error) {
      if (error instanceof Refusal) throw new NoSuchFile(error.message, { cause: error })
      throw error
    }
  }

  #filesOf(room: Room): FileTree {
    this.#assertIn()
    return this.#parts.filesOf(room.name)
  }

  #assertIn(): void {
    const why = this.#parts.sanctions.whyOut(this.#person)
    if (why !== undefined) throw new Refusal(why)
    this.#signal.throwIfAborted()
  }

  /**
   * Asks before each step, since a person may be muted, banned or taken out of the room meanwhile; the room's
   * own rights once a second and at the end. What was refused once stays so.
   */
  #checked(file: OpenFile, room: string, assertMayWrite: () => void): OpenFile {
    let refused: { readonly why: unknown } | undefined
    let askedAt = performance.now()
    const check = async (bytes: number, isEnd = false): Promise<void> => {
      if (refused) throw refused.why
      try {
        this.#assertIn()
        if (isEnd || performance.now() - askedAt > ASK_AGAIN_MS) {
          await this.#room(room)
          askedAt = performance.now()
        }
        assertMayWrite()
        if (bytes > 0) this.#parts.bytes.take(this.#person, bytes)
      } catch (error) {
        if (!(error instanceof StorageError)) refused = { why: error }
        throw error
      }
    }
    return {
      async facts() {
        await check(0)
        return await file.facts()
      },
      async read(offset, bytes) {
        await check(0)
        return await file.read(offset, bytes)
      },
      async write(offset, data) {
        await check(data.length)
        await file.write(offset, data)
      },
      async resize(bytes) {
        await check(0)
        await file.resize(bytes)
      },
      async close() {
        try {
          await check(0, true)
        } catch (error) {
          await file.abandon()
          throw error
        }
        await file.close()
      },
      abandon: () => file.abandon(),
    }
  }
}

/** `path` is absolute and normal. */
function placeOf(path: string): Place {
  const [name = '', ...inside] = path.split('/').filter((part) => part !== '')
  return { name, inside: inside.join('/') }
}

const directory = (name: string): FileFacts => ({ name, kind: 'directory', size: 0, modifiedAt: 0 })
