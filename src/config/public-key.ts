import { z } from 'zod'

/** A public key as ssh-keygen writes it into a `.pub` file; what follows the key is a comment. */
export const publicKey = z
  .string()
  .refine(isPublicKey, 'write a public key as ssh-keygen prints it: "ssh-ed25519 AAAA…"')

const LINE = /^(ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa) +([A-Za-z0-9+/]+={0,2})(?: .*)?$/

/** The bytes begin with the length and the name of the key's type (RFC 4253, section 6.6). */
function isPublicKey(text: string): boolean {
  const [, type = '', base64 = ''] = LINE.exec(text.trim()) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const named = Buffer.from(`\0\0\0${String.fromCharCode(type.length)}${type}`, 'latin1')
  return type !== '' && bytes.subarray(0, named.length).equals(named)
}
