import { createPublicKey } from 'node:crypto'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { errorCode } from '../../../lib/errors.ts'
import { ssh2 } from '../ssh2.ts'
import { proveKey, type HostKey } from './host-key.ts'

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
  if (type === 'ssh-rsa' && bitsOf(parsed.getPublicPEM()) < MIN_RSA_BITS)
    return `${file} has less than ${MIN_RSA_BITS} bits; make one with: ${keygen(file)}`
  const fingerprint = proveKey(pem)
  return fingerprint === undefined
    ? `${file} is damaged: its halves do not belong together; restore it`
    : { file, type, key: { pem, fingerprint } }
}

/** Those that algorithms.ts has. */
const TYPES: readonly string[] = ['ssh-ed25519', 'ssh-rsa']

/** As for the keys of people. */
const MIN_RSA_BITS = 2_048

const bitsOf = (pem: string): number => createPublicKey(pem).asymmetricKeyDetails?.modulusLength ?? 0

const keygen = (file: string): string => `ssh-keygen -t ed25519 -N '' -f ${file}`
