import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageError } from '../../../chat/errors.ts'

/**
 * Makes sure that the file is there, writable, and its owner's alone (0600), and its directory too (0700) if
 * it has to be made. SQLite gives its -wal and -shm files the mode of the database. An existing file is not
 * opened: closing it would drop this process's locks on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
 * Throws `StorageError` if something else stands there, and what `node:fs` throws.
 */
export function touchPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const there = statSync(file, { throwIfNoEntry: false })
  if (!there) closeSync(openSync(file, 'wx', 0o600))
  else if (!there.isFile()) throw new StorageError('other', `${file} is not a file; move it away`)
  else {
    accessSync(file, constants.R_OK | constants.W_OK)
    chmodSync(file, 0o600)
  }
}
