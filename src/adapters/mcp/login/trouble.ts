import { ZodError } from 'zod'
import { errorMessage } from '../../../lib/errors.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import { LoginError } from './login.ts'

/** Characters of what somebody else says. */
const MAX_CHARS = 300

/** What went wrong in a login, in words that end a sentence. */
export function loginError(error: unknown): LoginError {
  if (error instanceof LoginError) return error
  if (error instanceof SyntaxError || isZodError(error))
    return new LoginError('what it says of its login is not as OAuth has it', { cause: error })
  return new LoginError(cleanLine(errorMessage(error)).slice(0, MAX_CHARS), { cause: error })
}

/** The SDK has a copy of its own. */
const isZodError = (error: unknown): boolean =>
  error instanceof ZodError || (error instanceof Error && error.name === 'ZodError')
