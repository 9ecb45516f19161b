/** Files and directories by path, for a protocol that carries them. Sizes are bytes, times ms since the epoch. */
export interface FileTree {
  /** Of the entry itself, also if it is a link. */
  facts(path: string): Promise<FileFacts>
  /** To be ended with `return` by a reader that stops early. */
  list(path: string): AsyncGenerator<FileFacts, void, void>
  /** `check` is awaited before each step, with the bytes that it carries: 0 for facts and at the end. */
  open(path: string, how: OpenMode, check?: (bytes: number) => Promise<void>): Promise<OpenFile>
  makeDirectory(path: string): Promise<void>
  /** A directory must be empty. */
  remove(path: string, kind: 'file' | 'directory'): Promise<void>
  /** Replaces nothing. */
  rename(path: string, to: string): Promise<void>
}

/** `replace` makes a file or replaces it as a whole, and `create` only makes it. */
export type OpenMode = 'read' | 'replace' | 'create'

export interface FileFacts {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link'
  readonly size: number
  readonly modifiedAt: number
}

/** Each is read or written, never both. What failed once fails again. */
export interface OpenFile {
  facts(): Promise<FileFacts>
  /** Fewer bytes at the end of the file, none after it. */
  read(offset: number, bytes: number): Promise<Buffer>
  /** The first piece is the beginning of the file. */
  write(offset: number, data: Buffer): Promise<void>
  /** What was written becomes the file, unless a step failed: then this rejects and nothing is changed. */
  close(): Promise<void>
  /** Drops what was written. Never rejects. */
  abandon(): Promise<void>
}

/** Nothing is there that the person may know of. The message is for them; empty if their program has its own words. */
export class NoSuchFile extends Error {
  override readonly name = 'NoSuchFile'
}
