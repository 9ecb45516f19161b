/** PostgreSQL takes payloads of less than 8,000 bytes (https://www.postgresql.org/docs/current/sql-notify.html). */
const MAX_PAYLOAD_BYTES = 7_999

/** What stands before the text: a number, a subject, a space behind each. */
const MAX_HEAD_BYTES = 128

/**
 * UTF-8 bytes of the longest text that a payload holds. U+0000 and U+0001 count twice: PostgreSQL stores no U+0000, so that it is
 * written in another way.
 */
export const MAX_TEXT_BYTES = MAX_PAYLOAD_BYTES - MAX_HEAD_BYTES

/** Numbers start again at 0 then. */
const NUMBERS = 36 ** 6

/**
 * Makes payloads. Each has a number, because PostgreSQL sends equal payloads of one transaction once. Undefined for what does not
 * fit.
 */
export function createPayloads(): (subject: string, text: string) => string | undefined {
  let number = 0
  return (subject, text) => {
    number = (number + 1) % NUMBERS
    const head = `${number.toString(36)} ${subject} `
    const written = text.replaceAll('\u0001', '\u00011').replaceAll('\0', '\u00010')
    return head.length <= MAX_HEAD_BYTES && Buffer.byteLength(written) <= MAX_TEXT_BYTES
      ? head + written
      : undefined
  }
}

/** Undefined for what somebody else wrote to the channel. */
export function parsedPayload(
  payload: string,
): { readonly subject: string; readonly text: string } | undefined {
  const [head, subject] = /^[0-9a-z]+ ([a-z0-9_.-]+) /.exec(payload) ?? []
  if (head === undefined || subject === undefined) return undefined
  const text = payload
    .slice(head.length)
    .replace(/\u0001([01])/g, (_, digit: string) => (digit === '0' ? '\0' : '\u0001'))
  return { subject, text }
}
