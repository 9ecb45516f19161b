import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { ssh2 } from '../ssh2/library.ts'
import type { Fingerprint } from '../../words/person.ts'
import { errorCode } from '../../base/errors.ts'
import { fingerprintOf, MIN_RSA_BITS, rsaBitsOf } from './public-key.ts'

export interface HostKey {
  /** The type by ssh2's name. */
  readonly type: string
  /** The private key in OpenSSH form. */
  readonly pem: string
  readonly fingerprint: Fingerprint
}

/** The host key cannot be used; the message names the file and what to do. */
export class HostKeyError extends Error {
  override readonly name = 'HostKeyError'
}

/**
 * Reads the host key in `dir`, and first creates an Ed25519 key with mode 0600 if there is none. Creation is
 * atomic: a crash leaves a whole key or none, and two simultaneous starts agree on one key. `dir` is created
 * with mode 0700. Throws `HostKeyError`.
 */
export async function loadHostKeys(dir: string): Promise<readonly HostKey[]> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'host_key_ed25519')
  return [(await readKey(file)) ?? (await makeHostKey(dir, file))]
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
    return (await readKey(file)) ?? key
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', 0o600)
  await handle.writeFile(text)
  await handle.sync()
}

/** Retries because about one in two hundred keys of ssh2's generator cannot be read back (measured). */
function generateHostKey(): HostKey {
  for (;;) {
    const pem = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'sshawl host key' }).private
    const key = hostKeyOf(pem, ssh2.utils.parseKey(pem))
    if (key) return key
  }
}

/** The private key in a file; undefined if there is no file. Throws `HostKeyError`. */
async function readKey(file: string): Promise<HostKey | undefined> {
  try {
    // O_NONBLOCK, so that opening a named pipe does not wait for a writer.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const facts = await handle.stat()
    if (!facts.isFile()) throw new HostKeyError(`${file} is not a file; name a private key`)
    // As in OpenSSH, the mode of another user's file is not checked: mounted secrets belong to root.
    if (facts.uid === process.getuid?.() && facts.mode & 0o077)
      throw new HostKeyError(`others can read ${file}; run: chmod 600 ${file}`)
    return keyIn(file, await handle.readFile('utf8'))
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return undefined
    throw new HostKeyError(`${file} cannot be read (${code}); give it to the user that runs the server`)
  }
}

function keyIn(file: string, pem: string): HostKey {
  const parsed = ssh2.utils.parseKey(pem)
  if (parsed instanceof Error && /passphrase/i.test(parsed.message))
    throw new HostKeyError(
      `${file} has a passphrase, which nobody could type here; take it off with: ssh-keygen -p -f ${file}`,
    )
  const key = hostKeyOf(pem, parsed)
  if (key) return key
  throw new HostKeyError(
    `${file} is no whole private key of Ed25519, or of RSA with ${MIN_RSA_BITS} bits or more; restore it, or move it away and make one with: ${keygen(file)}`,
  )
}

/** Key types for `ALGORITHMS` in transport.ts. */
const TYPES: readonly string[] = ['ssh-ed25519', 'ssh-rsa']

/** Returns the key if it is private, strong enough, and its public half verifies its signature. */
function hostKeyOf(pem: string, key: ParsedKey | Error): HostKey | undefined {
  if (key instanceof Error || !key.isPrivateKey() || !TYPES.includes(key.type)) return undefined
  if (key.type === 'ssh-rsa' && rsaBitsOf(key) < MIN_RSA_BITS) return undefined
  const probe = randomBytes(32)
  // ssh2 returns an Error if it cannot sign or verify, though its types do not say so.
  const signature: unknown = key.sign(probe)
  const verdict: unknown = signature instanceof Uint8Array && key.verify(probe, Buffer.from(signature))
  return verdict === true
    ? { type: key.type, pem, fingerprint: fingerprintOf(key.getPublicSSH()) }
    : undefined
}

const keygen = (file: string): string => `ssh-keygen -t ed25519 -N '' -f ${file}`

/** Reads the operator's private keys, at most one a type. `problems` says what to do about unusable files. */
export async function readNamedHostKeys(
  files: readonly string[],
): Promise<{ readonly keys: readonly HostKey[]; readonly problems: readonly string[] }> {
  const found = new Map<string, { readonly file: string; readonly key: HostKey }>()
  const problems: string[] = []
  for (const file of files)
    try {
      const key = await readKey(file)
      const same = key && found.get(key.type)
      if (!key) problems.push(`there is no file ${file}; make a key with: ${keygen(file)}`)
      else if (!same) found.set(key.type, { file, key })
      else
        problems.push(
          `${file} is a second key of the type ${key.type}, after ${same.file}, and only one can be shown; leave one out`,
        )
    } catch (error) {
      if (!(error instanceof HostKeyError)) throw error
      problems.push(error.message)
    }
  return { keys: [...found.values()].map(({ key }) => key), problems }
}
