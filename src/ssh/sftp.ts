import { posix } from 'node:path'
import type { Attributes, FileEntry } from 'ssh2'
import { APOLOGY, Refusal, StorageError, WorkspaceError } from '../words/errors.ts'
import type { Log } from '../base/environment.ts'
import { errorMessage } from '../base/errors.ts'
import { visibleLine } from '../base/text/visible-text.ts'
import { type FileFacts, type FileTree, NoSuchFile, type OpenFile, type OpenMode } from '../base/file-tree.ts'
import { type Codec, createSftpCodec, OPEN_MODE, STATUS_CODE } from './ssh2/sftp-codec.ts'

export interface SftpWire {
  readonly input: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly log: Log
  send(bytes: Buffer): void
  /** Resolves when the client can receive more bytes. */
  drained(): Promise<void>
  /** Writes a line to standard error: `sftp` and `scp` show a fixed text for each status, not ours. */
  say(text: string): Promise<void>
}

const MAX_HANDLES = 32
/** 100 names fit in a packet: OpenSSH accepts at most 256 KiB. */
const NAMES_AT_ONCE = 100
/** Leaves 1 KiB of the packet's 256 KiB for the header of the answer. */
const MAX_READ_BYTES = 255 * 1024

/** Answers the requests of one SFTP client, one after the other, until its input ends. */
export async function serveSftp(files: FileTree, wire: SftpWire): Promise<void> {
  let isBroken = false
  const send = (bytes: Buffer): void => void (wire.signal.aborted || wire.send(bytes))
  const codec = createSftpCodec(send, () => (isBroken = true))
  const requests = new Requests(files, codec, wire)
  try {
    for await (const chunk of wire.input) {
      try {
        codec.push(chunk)
      } catch {
        // The input is not SFTP.
        return
      }
      // Reads nothing more until all requests are answered, so that they cannot pile up.
      await requests.last
      // ssh2 refuses some requests by itself; these answers must not pile up either.
      await wire.drained()
      if (isBroken || wire.signal.aborted) return
    }
  } finally {
    await requests.close()
  }
}

type Handle = { readonly file: OpenFile } | { readonly list: ReturnType<FileTree['list']> }

class Requests {
  readonly #files: FileTree
  readonly #codec: Codec
  readonly #wire: SftpWire
  readonly #handles = new Map<string, Handle>()
  #nextHandle = 0
  /** Resolves when all requests are answered. */
  last: Promise<void> = Promise.resolve()
  #said = ''

  constructor(files: FileTree, codec: Codec, wire: SftpWire) {
    this.#files = files
    this.#codec = codec
    this.#wire = wire
    this.#onPaths()
    this.#onHandles()
  }

  /** Discards uploads that the client has not closed. */
  async close(): Promise<void> {
    await this.last
    for (const handle of this.#handles.values())
      await ('file' in handle ? handle.file.abandon() : handle.list.return())
  }

  #onPaths(): void {
    const codec = this.#codec
    const files = this.#files
    codec.on('REALPATH', (id, path) =>
      this.#answer(id, async () =>
        codec.name(id, [{ filename: normalizePath(path), longname: path, attrs: {} as Attributes }]),
      ),
    )
    const stat = (id: number, path: string): void =>
      this.#answer(id, async () => codec.attrs(id, attrsOf(await files.facts(normalizePath(path)))))
    codec.on('LSTAT', stat)
    codec.on('STAT', stat)
    // Requests to change modes, owners and times are accepted and ignored.
    codec.on('SETSTAT', (id, _path, { size }: Partial<Attributes>) =>
      this.#done(id, async () => {
        if (size !== undefined) throw new Refusal(WHOLE)
      }),
    )
    codec.on('OPEN', (id, path, flags) =>
      this.#keep(id, async () => ({ file: await files.open(normalizePath(path), openModeOf(flags, path)) })),
    )
    codec.on('OPENDIR', (id, path) =>
      this.#keep(id, async () => {
        const { kind } = await files.facts(normalizePath(path))
        if (kind !== 'directory') throw new WorkspaceError(`${normalizePath(path)} is not a directory`)
        return { list: files.list(normalizePath(path)) }
      }),
    )
    codec.on('MKDIR', (id, path) => this.#done(id, () => files.makeDirectory(normalizePath(path))))
    codec.on('REMOVE', (id, path) => this.#done(id, () => files.remove(normalizePath(path), 'file')))
    codec.on('RMDIR', (id, path) => this.#done(id, () => files.remove(normalizePath(path), 'directory')))
    codec.on('RENAME', (id, path, to) =>
      this.#done(id, () => files.rename(normalizePath(path), normalizePath(to))),
    )
  }

  #onHandles(): void {
    const codec = this.#codec
    codec.on('READ', (id, handle, offset, length) =>
      this.#answer(id, async () => {
        const data = await this.#file(handle).read(offset, Math.min(length, MAX_READ_BYTES))
        if (data.length > 0) codec.data(id, data)
        else codec.status(id, STATUS_CODE.EOF)
      }),
    )
    codec.on('WRITE', (id, handle, offset, data) =>
      this.#done(id, () => this.#file(handle).write(offset, data)),
    )
    codec.on('FSTAT', (id, handle) =>
      this.#answer(id, async () => codec.attrs(id, attrsOf(await this.#file(handle).facts()))),
    )
    // OpenSSH's `scp` truncates a file to the length that it has written.
    codec.on('FSETSTAT', (id, handle, { size }: Partial<Attributes>) =>
      this.#done(id, async () => {
        if (size !== undefined && size !== (await this.#file(handle).facts()).size) throw new Refusal(WHOLE)
      }),
    )
    codec.on('READDIR', (id, handle) =>
      this.#answer(id, async () => {
        const kept = this.#handle(handle)
        if ('file' in kept) throw new Refusal('that is a file')
        const names: FileEntry[] = []
        while (names.length < NAMES_AT_ONCE) {
          const { value } = await kept.list.next()
          if (!value) break
          names.push(entryOf(value))
        }
        if (names.length > 0) codec.name(id, names)
        else codec.status(id, STATUS_CODE.EOF)
      }),
    )
    codec.on('CLOSE', (id, handle) =>
      this.#done(id, async () => {
        const kept = this.#handle(handle)
        this.#handles.delete(handle.toString())
        if ('file' in kept) await kept.file.close()
        else await kept.list.return()
      }),
    )
  }

  #done(id: number, work: () => Promise<void>): void {
    this.#answer(id, async () => {
      await work()
      this.#codec.status(id, STATUS_CODE.OK)
    })
  }

  #keep(id: number, open: () => Promise<Handle>): void {
    this.#answer(id, async () => {
      if (this.#handles.size >= MAX_HANDLES) throw new Refusal(`close a file first: ${MAX_HANDLES} are open`)
      const handle = String(this.#nextHandle++)
      this.#handles.set(handle, await open())
      this.#codec.handle(id, Buffer.from(handle))
    })
  }

  #handle(handle: Buffer): Handle {
    const kept = this.#handles.get(handle.toString())
    if (!kept) throw new Refusal('that file is not open')
    return kept
  }

  #file(handle: Buffer): OpenFile {
    const kept = this.#handle(handle)
    if ('file' in kept) return kept.file
    throw new Refusal('that is a directory')
  }

  #answer(id: number, work: () => Promise<void>): void {
    this.last = this.last.then(async () => {
      if (this.#wire.signal.aborted) return
      try {
        await work()
      } catch (error) {
        await this.#refuse(id, error)
      }
      await this.#wire.drained()
    })
  }

  async #refuse(id: number, error: unknown): Promise<void> {
    const { signal, log, say } = this.#wire
    if (signal.aborted) return
    const isKnown = KNOWN_ERRORS.some((kind) => error instanceof kind)
    if (!isKnown) log.error({ error }, 'a request for a file failed')
    const why = isKnown ? visibleLine(errorMessage(error)) : APOLOGY
    this.#codec.status(id, statusOf(error), why)
    // Each chunk of a file that cannot be written is refused; the reason is shown once.
    if (why !== '' && why !== this.#said) await say(`! ${why}\n`)
    this.#said = why
  }
}

const KNOWN_ERRORS = [NoSuchFile, Refusal, WorkspaceError, StorageError]

function statusOf(error: unknown): number {
  if (error instanceof NoSuchFile) return STATUS_CODE.NO_SUCH_FILE
  return error instanceof Refusal ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.FAILURE
}

/** Normalizes a path. All paths begin in `/`, whose entries are the rooms. */
const normalizePath = (path: string): string => {
  const normal = posix.normalize(`/${path}`)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

const WHOLE = 'a file is put as a whole; nothing is appended or resumed'

/** Throws `Refusal`. OpenSSH's `scp` opens a file without TRUNC and truncates it at the end. */
function openModeOf(flags: number, path: string): OpenMode {
  const { READ, WRITE, APPEND, CREAT, EXCL } = OPEN_MODE
  if ((flags & WRITE) === 0) return 'read'
  if ((flags & (READ | APPEND)) !== 0 || (flags & CREAT) === 0) throw new Refusal(WHOLE)
  // scp and sftp request a name with a final slash only if there is no such directory.
  if (/.\/.+\/$/.test(path)) throw new Refusal(`there is no directory ${path}; make it with mkdir in sftp`)
  return (flags & EXCL) === 0 ? 'replace' : 'create'
}

/** Types with usual permissions (stat(2)); the files' real permissions are not shown. */
const MODES = { file: 0o100644, directory: 0o040755, link: 0o120777 } as const
const LETTERS = { file: '-rw-r--r--', directory: 'drwxr-xr-x', link: 'lrwxrwxrwx' } as const

const attrsOf = ({ kind, size, modifiedAt }: FileFacts): Attributes => {
  const seconds = Math.floor(modifiedAt / 1000)
  return { mode: MODES[kind], uid: 0, gid: 0, size, atime: seconds, mtime: seconds }
}

/**
 * `longname` is the line that `ls -l` prints in sftp. Clients print both names as they are, so a name that a
 * command made with hidden characters is shown spelled out, and cannot be requested.
 */
function entryOf(facts: FileFacts): FileEntry {
  const filename = visibleLine(facts.name)
  const at = new Date(facts.modifiedAt)
  const time = facts.modifiedAt === 0 || Number.isNaN(at.getTime()) ? '' : at.toISOString().slice(0, 16)
  const size = String(facts.size).padStart(10)
  const longname = `${LETTERS[facts.kind]} ${size} ${time.replace('T', ' ').padEnd(16)} ${filename}`
  return { filename, longname, attrs: attrsOf(facts) }
}
