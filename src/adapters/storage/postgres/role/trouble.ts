import { StorageError } from '../../../../chat/errors.ts'
import type { LoginRole } from './settings.ts'

/** What keeps the role from its work, and what to do. */
export const lack = (sentence: string): StorageError => new StorageError('read-only', sentence)

/** That the role lacks a right. */
export const mayNot = ({ name }: LoginRole, what: string, advice: string): StorageError =>
  lack(`the role ${name} may not ${what}; ${advice}`)
