/** PostgreSQL takes payloads of less than 8,000 bytes (https://www.postgresql.org/docs/current/sql-notify.html), and text alone. */
const MAX_PAYLOAD_BYTES = 7_999

/** A subject and a blank. */
const MAX_HEAD_BYTES = 128

/** Of the longest message that a payload holds: in base64 three bytes take four letters. */
export const MAX_MESSAGE_BYTES = Math.floor((MAX_PAYLOAD_BYTES - MAX_HEAD_BYTES) / 4) * 3

/** Undefined for what does not fit. */
export function payloadOf(subject: string, message: Buffer): string | undefined {
  return subject.length < MAX_HEAD_BYTES && message.length <= MAX_MESSAGE_BYTES
    ? `${subject} ${message.toString('base64')}`
    : undefined
}

/** Of what somebody else wrote to the channel, anything. */
export function parsedPayload(payload: string): { readonly subject: string; readonly message: Buffer } {
  const [subject = ''] = payload.split(' ', 1)
  return { subject, message: Buffer.from(payload.slice(subject.length + 1), 'base64') }
}
