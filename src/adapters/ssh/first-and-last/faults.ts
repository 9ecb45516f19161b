/** What went wrong on a connection, in our words: the library's are for its developers. */

/** What arrived first is no SSH. `port` is the one that it came to. */
export const notSsh = (port: number | undefined): string =>
  `What was sent is no SSH, and port ${port ?? 'unknown'} speaks nothing else; connect with: ssh -p ${port ?? 'PORT'} NAME@HOST`

const brokenBeforeKeys = (port: number | undefined): string =>
  `What was sent before the keys is no SSH, or one that port ${port ?? 'unknown'} does not speak; connect with a newer client, as in: ssh -p ${port ?? 'PORT'} NAME@HOST`

const BROKEN = 'The connection broke a rule of SSH, or was changed on its way; log in again with OpenSSH'

/** ssh2's only limit of a packet (RFC 4253, 6.1) is in its crypto.js. */
const TOO_LONG = 'sent a packet that is garbled, or longer than 35,000 bytes'

/** What ssh2 could not agree on begins so; the words after it name what. */
const NOTHING_IN_COMMON = /no matching (?:[CS]->[CS] )?(.+)/

/** So much of what a client says is logged. */
const MAX_SAID = 200

/** Whether ssh2's parser threw at the length of a packet. It can read nothing more then; what is sent still arrives. */
export const isTooLong = (error: unknown): boolean =>
  error instanceof Error && error.message === 'Bad packet length'

/** What a client is told where ssh2 ends a connection because of what it was sent. */
export const brokenRule = (hasKeys: boolean, port: number | undefined): string =>
  hasKeys ? BROKEN : brokenBeforeKeys(port)

/** An error of ssh2, for the log. */
export function faultOf(error: unknown, hasKeys: boolean, port: number | undefined): string {
  if (hasKeys && isTooLong(error)) return TOO_LONG
  const { level, code, message } = factsOf(error)
  if (level === 'client-timeout') return 'the client did not answer any more'
  if (level === 'socket') return `the network broke the connection${code === undefined ? '' : ` (${code})`}`
  if (level === undefined && typeof code === 'number')
    return `the client disconnected: ${message.slice(0, MAX_SAID)}`
  const [, missing] = NOTHING_IN_COMMON.exec(message) ?? []
  if (missing !== undefined) return `the client has no ${missing} that this server takes`
  return brokenRule(hasKeys, port)
}

/** What ssh2 says of an error beside its words. */
function factsOf(error: unknown) {
  if (!(error instanceof Error)) return { level: undefined, code: undefined, message: '' }
  const code = 'code' in error ? error.code : undefined
  return {
    level: 'level' in error ? error.level : undefined,
    code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
    message: error.message,
  }
}
