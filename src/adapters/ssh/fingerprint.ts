import { createHash } from 'node:crypto'
import type { Fingerprint } from '../../chat/person.ts'

/** `SHA256:` and the unpadded base64 of the digest of a public key in SSH wire form, as `ssh-keygen -lf` prints it. */
export function fingerprintOf(publicKey: Uint8Array): Fingerprint {
  const digest = createHash('sha256').update(publicKey).digest('base64').replace(/=+$/, '')
  return `SHA256:${digest}` as Fingerprint
}
