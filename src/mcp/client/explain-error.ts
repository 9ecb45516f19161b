import type * as SdkModule from '@modelcontextprotocol/client'
import { errorMessage } from '../../base/errors.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import type { McpByUrl, McpServerConfig } from '../config.ts'
import { LoginError } from '../login-fetch.ts'
import { addressParts, redact, secretValues } from '../redact.ts'

/** The SDK is imported with the first connection: a server without `[[mcp]]` does not pay for it. */
export type Sdk = typeof SdkModule

/** The answer to requests for elicitation, sampling and roots. */
export const NOT_ASKED =
  'sshawl asks neither its people nor its models for a server: take all that you need as arguments of a tool'

const MAX_CHARS = 300

/** Explains a server's error in words that end a sentence and contain no secret of its config. */
export function explainError(
  sdk: Sdk,
  error: unknown,
  { name, reach }: McpServerConfig,
  limitMs: number,
): string {
  const refusal = findRefusal(sdk, error)
  if (refusal && 'url' in reach) return explainRefusal(refusal, name, reach)
  if (error instanceof LoginError) return error.message
  // Since 2026-07-28 a server's result may ask a question, which no answer can refuse.
  const wantsInput =
    (error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.CapabilityNotSupported) ||
    isRefusal(sdk, error, 'MissingRequiredClientCapability')
  if (wantsInput) return `it asked a question in the middle of the call; ${NOT_ASKED}`
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  const shown = shownOf(errorMessage(error) + cause, reach)
  if (/timed? ?out/i.test(shown)) return `it did not answer within ${limitMs / 1000} s`
  return shown.replace(/^Invalid result for (\S+): (?:raw\.)?/, 'its answer to $1 could not be read: ')
}

/** True if the server answered and denied access. */
export const isAccessDenied = (sdk: Sdk, error: unknown): boolean =>
  error instanceof LoginError || findRefusal(sdk, error) !== undefined

export function isRefusal(sdk: Sdk, error: unknown, ...kinds: (keyof Sdk['ProtocolErrorCode'])[]): boolean {
  const codes: readonly number[] = kinds.map((kind) => sdk.ProtocolErrorCode[kind])
  return error instanceof sdk.ProtocolError && codes.includes(error.code)
}

const shownOf = (text: string, reach: McpServerConfig['reach']): string =>
  cleanLine(redact(text, [...secretValues(reach), ...addressParts(reach)])).slice(0, MAX_CHARS)

/** `scope` is the scope that a login would need. */
interface HttpRefusal {
  readonly status: number
  readonly text: string
  readonly scope?: string
}

function findRefusal(sdk: Sdk, error: unknown): HttpRefusal | undefined {
  if (error instanceof sdk.UnauthorizedError) return { status: 401, text: '' }
  if (error instanceof sdk.InsufficientScopeError)
    return { status: 403, text: '', scope: error.requiredScope ?? '' }
  const isHttp = error instanceof sdk.SdkHttpError
  const status = (isHttp ? error.status : error instanceof sdk.SseError ? error.code : undefined) ?? 0
  const body = isHttp ? error.data['text'] : ''
  const text = typeof body === 'string' ? body.trim() : ''
  return status === 401 || status === 403 || (status >= 400 && text === '') ? { status, text } : undefined
}

function explainRefusal({ status, text, scope }: HttpRefusal, name: string, reach: McpByUrl): string {
  const said = text === '' ? '' : `: ${shownOf(text, reach)}`
  const login = `/mcp login ${name}`
  const by = `by token_env or header_env${said}`
  if (scope !== undefined)
    return `it needs a login with more rights${scope === '' ? '' : ` (${shownOf(scope, reach)})`}: ${login}`
  if (status === 403)
    return `it denies this to the current login (403): ${login}, or give it another token ${by}`
  if (status !== 401) return `it answered with the status ${status}`
  return Object.keys(reach.headers ?? {}).length > 0
    ? `it rejects the token or header of the config (401): look at token_env and header_env${said}`
    : `it requires authentication (401): ${login}, or give it a token ${by}`
}
