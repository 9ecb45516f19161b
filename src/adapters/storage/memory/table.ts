import { StorageError } from '../../../chat/errors.ts'

/** A copy that shares nothing with the original and is what JSON would make of it, as a stored row would be. */
export const stored = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** In the order of a database: by code point, where JavaScript compares halves of pairs. */
export const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What a database says when a row needs another that is not there. */
export const missing = (what: string): StorageError =>
  new StorageError('other', `the database refused: there is no ${what}`)

/** What a database says when an id is there already. */
export const taken = (what: string): StorageError =>
  new StorageError('other', `the database refused: ${what} is stored already`)
