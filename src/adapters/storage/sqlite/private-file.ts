import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes sure that the file is there, writable, and its owner's alone (0600), and its directory too (0700) if
 * it has to be made. SQLite gives its -wal and -shm files the mode of the database. Throws what `node:fs` throws.
 */
export function touchPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}
