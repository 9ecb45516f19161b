import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** What all servers of a database have, and nobody else. */
export interface BusSecret {
  /** 32 random bytes. */
  readonly key: Uint8Array
  /** The time that all servers go by, in milliseconds since the epoch. It never goes back. */
  readonly now: () => number
}

/** What came of opening a message: its text, or why it has none. */
export type Opened =
  | { readonly text: string }
  /** Nobody who has the key sent it under this subject. */
  | 'strange'
  /** It came before, or is so old that it may have. */
  | 'repeated'

/**
 * Makes messages of texts that only those can read, and write, who have the key. One server has one seal: it remembers what it has
 * opened, so that a message which somebody recorded and sends once more is told apart.
 */
export interface Seal {
  seal(subject: string, text: string): Buffer
  open(subject: string, message: Buffer): Opened
  /** Whether it says to be of somebody whose messages were opened before: then it takes little to find out. */
  knows(message: Buffer): boolean
}

/** AES-256-GCM (NIST SP 800-38D): 12 bytes of a number that is used once, and 16 that prove the rest. */
const CIPHER = 'aes-256-gcm'
const NUMBER_BYTES = 12
const PROOF_BYTES = 16

/** Random bytes of each seal: its own key comes of them, so that no two servers ever use a number with the same key. */
const SALT_BYTES = 16

/** A moment in microseconds. */
const TIME_BYTES = 8
const HEAD_BYTES = SALT_BYTES + TIME_BYTES

/** Bytes that a message has besides its text. */
export const SEAL_BYTES = HEAD_BYTES + PROOF_BYTES

/** What is older is not opened, in microseconds: of what is younger it is known whether it came before. */
const MAX_AGE = 60_000_000

/** Another server, from its first message. */
interface Sender {
  readonly key: Buffer
  /** The moment of its last message: each is sent later than the one before. */
  last: number
}

export function createSeal({ key, now }: BusSecret): Seal {
  const salt = randomBytes(SALT_BYTES)
  const ownKey = keyOf(salt)
  const senders = new Map<string, Sender>()
  const begun = now() * 1_000
  /** By so much this server's time is behind another's, in microseconds: its machine may have slept. */
  let behind = 0
  let last = 0

  function keyOf(saltOfSender: Uint8Array): Buffer {
    return Buffer.from(hkdfSync('sha256', key, saltOfSender, 'sshawl bus', 32))
  }

  const time = (): number => now() * 1_000 + behind

  function remember(name: string, sender: Sender, oldest: number): void {
    for (const [other, one] of senders) if (one.last < oldest) senders.delete(other)
    senders.set(name, sender)
  }

  return {
    seal(subject, text) {
      last = Math.max(last + 1, Math.floor(time()))
      const head = Buffer.concat([salt, numberOf(last)])
      const cipher = createCipheriv(CIPHER, ownKey, nonceIn(head)).setAAD(Buffer.from(subject))
      return Buffer.concat([head, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(subject, message) {
      if (message.length < SEAL_BYTES) return 'strange'
      const name = nameIn(message)
      const known = senders.get(name)
      const sender = known ?? { key: keyOf(message.subarray(0, SALT_BYTES)), last: 0 }
      const text = decrypted(sender.key, subject, message)
      if (text === undefined) return 'strange'
      const at = Number(message.readBigUInt64BE(SALT_BYTES))
      const oldest = Math.max(begun, time() - MAX_AGE)
      if (at <= sender.last || at < oldest) return 'repeated'
      behind = Math.max(behind, at - now() * 1_000)
      sender.last = at
      if (!known) remember(name, sender, oldest)
      return { text }
    },
    knows: (message) => senders.has(nameIn(message)),
  }
}

const nameIn = (message: Buffer): string => message.toString('latin1', 0, SALT_BYTES)

function numberOf(moment: number): Buffer {
  const bytes = Buffer.alloc(TIME_BYTES)
  bytes.writeBigUInt64BE(BigInt(moment))
  return bytes
}

/** The moment, with zeros before it: a key has each moment once. */
function nonceIn(message: Buffer): Buffer {
  const nonce = Buffer.alloc(NUMBER_BYTES)
  message.copy(nonce, NUMBER_BYTES - TIME_BYTES, SALT_BYTES, HEAD_BYTES)
  return nonce
}

/** Undefined for what was not written with this key under this subject. */
function decrypted(key: Buffer, subject: string, message: Buffer): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, nonceIn(message), { authTagLength: PROOF_BYTES })
    .setAAD(Buffer.from(subject))
    .setAuthTag(message.subarray(-PROOF_BYTES))
  try {
    const text = decipher.update(message.subarray(HEAD_BYTES, -PROOF_BYTES))
    decipher.final()
    return text.toString('utf8')
  } catch {
    return undefined
  }
}
