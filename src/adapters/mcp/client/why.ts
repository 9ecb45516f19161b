import { errorMessage } from '../../../lib/errors.ts'
import { cleanLine } from '../../../lib/text/clean-text.ts'
import type { McpByUrl, McpServerConfig } from '../config.ts'
import { LoginError } from '../login-fetch.ts'
import { addressParts, redact, secretValues } from '../redact.ts'
import type { McpTimes } from './limits.ts'

/** Characters of what somebody else says is wrong. */
const MAX_CHARS = 300

/** What went wrong with a server, in words that end a sentence and hold no secret that it was given. */
export async function whyOf(
  error: unknown,
  { name, reach }: McpServerConfig,
  { connectMs }: McpTimes,
): Promise<string> {
  const refusal = await refusalIn(error)
  if (refusal && 'url' in reach) return whyRefused(refusal, name, reach)
  if (error instanceof LoginError) return error.message
  const shown = shownOf(wholeMessage(error), reach)
  return /timed? ?out/i.test(shown) ? `it did not answer within ${connectMs / 1000} s` : shown
}

/** Whether the server is there, and turned us away. */
export const isTurnedAway = async (error: unknown): Promise<boolean> =>
  error instanceof LoginError || (await refusalIn(error)) !== undefined

/** Somebody else's words. */
const shownOf = (text: string, reach: McpServerConfig['reach']): string =>
  cleanLine(redact(text, [...secretValues(reach), ...addressParts(reach)])).slice(0, MAX_CHARS)

const wholeMessage = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error
    ? `${error.message}: ${error.cause.message}`
    : errorMessage(error)

/** An answer that says nothing by itself. */
interface HttpRefusal {
  readonly status: number
  /** What it says; may be empty, or anything. */
  readonly text: string
  /** What a login would have to allow. */
  readonly scope?: string | undefined
}

async function refusalIn(error: unknown): Promise<HttpRefusal | undefined> {
  const { InsufficientScopeError, SdkHttpError, SseError, UnauthorizedError } =
    await import('@modelcontextprotocol/client')
  if (error instanceof UnauthorizedError) return { status: 401, text: '' }
  if (error instanceof InsufficientScopeError)
    return { status: 403, text: '', scope: error.requiredScope ?? '' }
  const status =
    error instanceof SdkHttpError ? error.status : error instanceof SseError ? error.code : undefined
  const body = error instanceof SdkHttpError ? error.data['text'] : ''
  const text = typeof body === 'string' ? body.trim() : ''
  const isTold = status === 401 || status === 403 || (status !== undefined && status >= 400 && text === '')
  return isTold ? { status, text } : undefined
}

function whyRefused({ status, text, scope }: HttpRefusal, name: string, reach: McpByUrl): string {
  const shown = shownOf(text, reach)
  const said = shown === '' ? '' : `: ${shown}`
  const login = `/mcp login ${name}`
  if (scope !== undefined)
    return `it wants a login that may do more${scope === '' ? '' : ` (${shownOf(scope, reach)})`}: ${login}`
  if (status === 401 && Object.keys(reach.headers ?? {}).length > 0)
    return `it does not take the token or header that it is given (401): look at token_env and header_env${said}`
  if (status === 401)
    return `it does not know who asks (401): ${login}, or give it a token by token_env or header_env${said}`
  if (status === 403)
    return `it does not allow that to who asks (403): ${login}, or give it another token by token_env or header_env${said}`
  return `it answered with the status ${status}`
}
