import { ZodError } from 'zod'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import { LoginError } from './login.ts'

/** Characters of what somebody else says. */
const MAX_CHARS = 300

const ODD = 'what it says of its login is not as OAuth has it'

/** What the SDK says, and what that means for people. It has no class for most of it. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [
    /dynamic client registration/i,
    'whoever gives its tokens does not support dynamic client registration, so register sshawl there, and write client_id and issuer in the config',
  ],
  [/response type|code challenge/, 'whoever gives its tokens knows no login with a code and PKCE (S256)'],
  [/^Protected resource .* does not match/, 'what it says of its login is for another server'],
  [/^Issuer mismatch/, 'the issuer that answers is not the one that the login is of'],
  [/^Authorization server mismatch/, 'the issuer of its tokens is not the one that the config names'],
  [/^Refusing to send credentials/, 'its tokens would go over http://, where others can read them'],
  [/^Authorization callback/, 'that answer cannot be proved to be that of its login'],
  [/^HTTP \d+ trying to load/, 'what whoever gives its tokens says of itself cannot be read now'],
]

/** What went wrong in a login, in words that end a sentence. */
export function loginError(error: unknown): LoginError {
  if (error instanceof LoginError) return error
  return new LoginError(wordsOf(error), { cause: error })
}

function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return ODD
  const known = MEANINGS.find(([words]) => words.test(error.message))
  if (known) return known[1]
  // The words of whoever gives tokens, but for those that the SDK puts together about an answer that it cannot read.
  const isTheirs = error.name === 'OAuthError' && !error.message.includes('Invalid OAuth error response')
  return (isTheirs && cleanLine(error.message).slice(0, MAX_CHARS)) || ODD
}

/** The SDK has a copy of its own. */
export const isZodError = (error: unknown): boolean =>
  error instanceof ZodError || (error instanceof Error && error.name === 'ZodError')
