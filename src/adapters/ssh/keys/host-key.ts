import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { ssh2 } from '../ssh2.ts'
import type { Fingerprint } from '../../../chat/people/person.ts'
import { errorCode } from '../../../lib/errors.ts'
import { fingerprintOf } from './public-key.ts'

/** The key by which clients recognise this server. */
export interface HostKey {
  /** The private key in OpenSSH form. */
  readonly pem: string
  readonly fingerprint: Fingerprint
}

/** The host key cannot be used; the message names the file and what to do. */
export class HostKeyError extends Error {
  override readonly name = 'HostKeyError'
}

/**
 * Reads the host key in `dir`, and makes it first if there is none: Ed25519, mode 0600, in one step, so
 * that a crash leaves a whole key or none and two starts at once agree on one. `dir` is made 0700.
 * Throws `HostKeyError` for a key that others can read or that does not parse.
 */
export async function loadHostKeys(dir: string): Promise<readonly HostKey[]> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'host_key_ed25519')
  return [(await readHostKey(file)) ?? (await makeHostKey(dir, file))]
}

async function readHostKey(file: string): Promise<HostKey | undefined> {
  const facts = await stat(file).catch(absent)
  if (!facts) return undefined
  if (!facts.isFile()) throw new HostKeyError(`${file} is not a file; move it away to get a new host key`)
  if (facts.mode & 0o077) throw new HostKeyError(`others can read the host key; run: chmod 600 ${file}`)
  const pem = await readFile(file, 'utf8')
  const fingerprint = proveKey(pem)
  if (fingerprint) return { pem, fingerprint }
  throw new HostKeyError(
    `${file} is not a whole private key without a passphrase; restore it, or move it away to get a new one`,
  )
}

async function makeHostKey(dir: string, file: string): Promise<HostKey> {
  const key = generateHostKey()
  const draft = join(dir, `.host_key_${randomBytes(6).toString('hex')}`)
  try {
    await writeDurably(draft, key.pem)
    await link(draft, file)
    return key
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
    return (await readHostKey(file)) ?? key
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** About one in two hundred keys of ssh2's generator cannot be read back (measured), hence the loop. */
function generateHostKey(): HostKey {
  for (;;) {
    const pem = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'sshawl host key' }).private
    const fingerprint = proveKey(pem)
    if (fingerprint) return { pem, fingerprint }
  }
}

/** The key's fingerprint, if the key parses and its public half verifies what it signs. */
export function proveKey(pem: string): Fingerprint | undefined {
  const key = ssh2.utils.parseKey(pem)
  if (key instanceof Error || !isWhole(key)) return undefined
  return fingerprintOf(key.getPublicSSH())
}

function isWhole(key: ParsedKey): boolean {
  if (!key.isPrivateKey()) return false
  const probe = randomBytes(32)
  const signature: unknown = key.sign(probe)
  if (!(signature instanceof Uint8Array)) return false
  const verdict: unknown = key.verify(probe, Buffer.from(signature))
  return verdict === true
}

function absent(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error
}
