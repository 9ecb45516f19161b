import { createHash, randomBytes, randomInt } from 'node:crypto'
import type { Codes, TokenTexts } from '../chat/people/index.ts'

/** Letters that cannot be confused with each other when read aloud. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Groups of four letters with 5 bits each. */
const INVITE_GROUPS = 4

/** Creates a code such as `ABCD-EFGH`. */
export const newCode = (groups: number): string => Array.from({ length: groups }, four).join('-')

const four = (): string => Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join('')

/** One round of SHA-256 is enough for 80 random bits, unlike a password. */
export const codes: Codes = {
  make: () => newCode(INVITE_GROUPS),
  digest: (code) => createHash('sha256').update(code.toUpperCase().replace(/[\s-]/g, '')).digest('hex'),
}

/** The prefix of tokens, by which secret scanners recognise them. */
const TOKEN_MARK = 'sshawl_'

export const tokenTexts: TokenTexts = {
  make: () => TOKEN_MARK + randomBytes(32).toString('base64url'),
  digest: (token) => createHash('sha256').update(token).digest('hex'),
}
