import type { Room } from '../chat/index.ts'
import type { Log } from '../base/environment.ts'
import { fileType, HEAD_BYTES } from '../base/file-type.ts'
import type { OpenFile } from '../base/file-tree.ts'
import type { FileNote } from '../words/entry.ts'
import { fileNamesText, MAX_FILE_NOTES } from '../words/file-notes.ts'
import type { Person } from '../words/person.ts'

/** Files that arrive within this time are reported in one entry. */
const TOGETHER_MS = 10_000

/** Reports to rooms which files a person put into them over one connection. */
export class ArrivedFiles {
  readonly #person: Person
  readonly #log: Log
  readonly #byRoom = new Map<
    Room,
    { readonly notes: Map<string, FileNote>; readonly timer: NodeJS.Timeout }
  >()
  readonly #telling = new Set<Promise<void>>()

  constructor(person: Person, log: Log) {
    this.#person = person
    this.#log = log
  }

  /** Returns the upload, which is reported once it is closed. */
  watch(room: Room, name: string, event: FileNote['event'], file: OpenFile): OpenFile {
    let size = 0
    let head: Uint8Array = new Uint8Array()
    return {
      ...file,
      async write(offset, data) {
        await file.write(offset, data)
        size = Math.max(size, offset + data.length)
        if (offset === 0) head = Uint8Array.from(data.subarray(0, HEAD_BYTES))
      },
      close: async () => {
        await file.close()
        this.#add(room, { name, event, size, type: fileType(head) })
      },
    }
  }

  /** Some clients upload a file under another name and then rename it. */
  renamed(room: Room, name: string, to: string): void {
    const notes = this.#byRoom.get(room)?.notes
    const note = notes?.get(name)
    if (!note) return
    notes?.delete(name)
    notes?.set(to, { ...note, name: to })
  }

  removed(room: Room, name: string): void {
    this.#byRoom.get(room)?.notes.delete(name)
  }

  /** Reports the remaining files now. Never rejects. */
  async flush(): Promise<void> {
    for (const room of this.#byRoom.keys()) this.#tell(room)
    await Promise.all(this.#telling)
  }

  #add(room: Room, note: FileNote): void {
    const batch = this.#byRoom.get(room) ?? {
      notes: new Map<string, FileNote>(),
      timer: setTimeout(() => this.#tell(room), TOGETHER_MS),
    }
    this.#byRoom.set(room, batch)
    const before = batch.notes.get(note.name)
    batch.notes.set(note.name, before ? { ...note, event: before.event } : note)
  }

  #tell(room: Room): void {
    const batch = this.#byRoom.get(room)
    if (!batch) return
    clearTimeout(batch.timer)
    this.#byRoom.delete(room)
    if (batch.notes.size === 0) return
    const notes = [...batch.notes.values()]
    const { name, id } = this.#person
    const text = `put ${fileNamesText(notes)}`
    const entry = { kind: 'file', author: name, by: id, text, files: notes.slice(0, MAX_FILE_NOTES) } as const
    const told = room
      .record(entry)
      .catch((error: unknown) =>
        this.#log.warn({ error, room: room.name }, 'could not announce files that arrived'),
      )
      .then(() => void this.#telling.delete(told))
    this.#telling.add(told)
  }
}
