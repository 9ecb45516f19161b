import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { Codes, TokenTexts } from '../chat/people/ports.ts'

/** Letters and digits that cannot be confused with each other when they are read aloud. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Of groups of four letters, each of which has 5 bits. */
const INVITE_GROUPS = 4

/** A code such as `ABCD-EFGH`, of so many groups. */
export const newCode = (groups: number): string => Array.from({ length: groups }, four).join('-')

const four = (): string => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** One round of SHA-256 is enough: a code has 80 random bits, unlike a password. */
export const codes: Codes = {
  make: () => newCode(INVITE_GROUPS),
  digest: (code) => createHash('sha256').update(code.toUpperCase().replace(/[\s-]/g, '')).digest('hex'),
}

/** What a token begins with, so that people and programs that look for secrets know one when they see it. */
const TOKEN_MARK = 'sshawl_'

/** As for codes: a token has 256 random bits. */
export const tokenTexts: TokenTexts = {
  make: () => TOKEN_MARK + randomBytes(32).toString('base64url'),
  digest: (token) => createHash('sha256').update(token).digest('hex'),
}
