import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, readFile, rm, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { ssh2 } from '../ssh2.ts'
import type { Fingerprint } from '../../../chat/people/person.ts'
import { errorCode } from '../../../lib/errors.ts'
import { fingerprintOf, MIN_RSA_BITS, rsaBitsOf } from './public-key.ts'

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

/** Its fingerprint, if the key parses and its public half verifies what it signs. */
function proveKey(pem: string): Fingerprint | undefined {
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

/** What files with host keys have in them. */
export interface NamedHostKeys {
  readonly keys: readonly HostKey[]
  /** A sentence for each file that cannot be used, with what to do. */
  readonly problems: readonly string[]
}

/** Reads private keys that the operator made, so that several servers show the same one. Changes nothing. */
export async function readNamedHostKeys(files: readonly string[]): Promise<NamedHostKeys> {
  const found: Found[] = []
  const problems: string[] = []
  for (const file of files) {
    const read = await readOne(file)
    const problem = typeof read === 'string' ? read : clashWith(found, read)
    if (problem !== undefined) problems.push(problem)
    else if (typeof read !== 'string') found.push(read)
  }
  return { keys: found.map(({ key }) => key), problems }
}

interface Found {
  readonly file: string
  readonly type: string
  readonly key: HostKey
}

/** Clients are shown one key of each type. */
function clashWith(others: readonly Found[], { file, type, key }: Found): string | undefined {
  const same = others.find((other) => other.type === type)
  if (!same) return undefined
  return same.key.fingerprint === key.fingerprint
    ? `${file} has the same key as ${same.file}; name it once`
    : `${file} is a second key of the type ${type}, after ${same.file}, and only one can be shown; leave one out`
}

/** The key in a file, or why it cannot be used. */
async function readOne(file: string): Promise<Found | string> {
  try {
    // What is no file, such as a pipe, must not be waited for.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    return (await whyNoFile(file, handle)) ?? keyIn(file, await handle.readFile('utf8'))
  } catch (error) {
    const code = errorCode(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') return `there is no file ${file}; make a key with: ${keygen(file)}`
    return `${file} cannot be read (${code}); give it to the user that runs the server`
  }
}

/** Of a private key; one of RSA with 16,384 bits has 13,000. */
const MAX_BYTES = 65_536

/** As OpenSSH has it, the mode of somebody else's file is their business: secrets that are mounted belong to root. */
async function whyNoFile(file: string, handle: FileHandle): Promise<string | undefined> {
  const facts = await handle.stat()
  const { uid, mode, size } = facts
  if (!facts.isFile()) return `${file} is not a file; name a private key`
  if (uid === process.getuid?.() && mode & 0o077) return `others can read ${file}; run: chmod 600 ${file}`
  return size > MAX_BYTES ? `${file} is too large for a key; name a private key` : undefined
}

function keyIn(file: string, pem: string): Found | string {
  const parsed = ssh2.utils.parseKey(pem)
  if (parsed instanceof Error)
    return /passphrase/i.test(parsed.message)
      ? `${file} has a passphrase, which nobody could type here; take it off with: ssh-keygen -p -f ${file}`
      : `${file} is no private key, or not a whole one; make one with: ${keygen(file)}`
  if (!parsed.isPrivateKey()) return `${file} is a public key; name the private one`
  const { type } = parsed
  if (!TYPES.includes(type))
    return `${file} is of the type ${type}, which is not used here; make one with: ${keygen(file)}`
  if (type === 'ssh-rsa' && rsaBitsOf(parsed) < MIN_RSA_BITS)
    return `${file} has less than ${MIN_RSA_BITS} bits; make one with: ${keygen(file)}`
  const fingerprint = proveKey(pem)
  return fingerprint === undefined
    ? `${file} is damaged: its halves do not belong together; restore it`
    : { file, type, key: { pem, fingerprint } }
}

/** Those of `ALGORITHMS` in transport.ts. */
const TYPES: readonly string[] = ['ssh-ed25519', 'ssh-rsa']

const keygen = (file: string): string => `ssh-keygen -t ed25519 -N '' -f ${file}`
