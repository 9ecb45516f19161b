/** Files and directories by path, for a file protocol. Sizes are bytes, times are ms since the epoch. */
export interface FileTree {
  /** Does not follow a link. */
  facts(path: string): Promise<FileFacts>
  /** A reader that stops early must call `return`. */
  list(path: string): AsyncGenerator<FileFacts, void, void>
  /** Awaits `check` before each step with the step's bytes, which are 0 for `facts` and `close`. */
  open(path: string, how: OpenMode, check?: (bytes: number) => Promise<void>): Promise<OpenFile>
  makeDirectory(path: string): Promise<void>
  /** Removes a file or an empty directory. */
  remove(path: string, kind: 'file' | 'directory'): Promise<void>
  /** Never replaces an existing entry. */
  rename(path: string, to: string): Promise<void>
}

/** `replace` creates or replaces a file as a whole; `create` never replaces one. */
export type OpenMode = 'read' | 'replace' | 'create'

export interface FileFacts {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link'
  readonly size: number
  readonly modifiedAt: number
}

/** A file open for reading or writing, never both. After a failure all later steps fail. */
export interface OpenFile {
  facts(): Promise<FileFacts>
  /** Returns fewer bytes at the end of the file, and none after it. */
  read(offset: number, bytes: number): Promise<Buffer>
  /** The first call must write at offset 0. */
  write(offset: number, data: Buffer): Promise<void>
  /** Saves the written bytes as the file. If a step has failed, rejects and changes nothing. */
  close(): Promise<void>
  /** Discards the written bytes. Never rejects. */
  abandon(): Promise<void>
}

/** Thrown for an unknown or hidden path. The message is shown; it is empty if the client has its own text. */
export class NoSuchFile extends Error {
  override readonly name = 'NoSuchFile'
}
