import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { HostKeyError, loadHostKeys, readNamedHostKeys } from '../../../../src/ssh/keys/host-keys.ts'

describe('the host key of the data directory', () => {
  let dir: string
  const file = (): string => join(dir, 'data', 'host_key_ed25519')
  const load = () => loadHostKeys(join(dir, 'data'))

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sshawl-keys-'))
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))

  test('the first start makes a host key that ssh-keygen reads, and the second start loads it', async () => {
    const [first] = await load()
    const { stdout } = await execa('ssh-keygen', ['-lf', file()])
    expect(stdout).toContain(`256 ${first!.fingerprint}`)
    expect(await load()).toEqual([first])
  })

  test('the host key and its directory are readable only for the owner, without leftover files', async () => {
    await load()
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect((await stat(join(dir, 'data'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(dir, 'data'))).toEqual(['host_key_ed25519'])
  })

  test('concurrent starts agree on one host key', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, load))
    expect(new Set(keys.map(([key]) => key!.fingerprint)).size).toBe(1)
  })

  test('a host key that others can read is refused with the command that repairs it', async () => {
    await load()
    await chmod(file(), 0o640)
    await expect(load()).rejects.toThrow(`chmod 600 ${file()}`)
  })

  test.each([
    ['cut in the middle', async () => truncate(file(), 150)],
    ['empty', async () => truncate(file(), 0)],
    ['binary', async () => writeFile(file(), Buffer.alloc(4096, 0xff))],
    ['a public key', async () => writeFile(file(), await readFile(`${file()}.pub`, 'utf8'))],
  ])('a host key file that is %s is refused and not changed', async (_label, spoil) => {
    await load()
    await writeFile(`${file()}.pub`, (await execa('ssh-keygen', ['-yf', file()])).stdout)
    await spoil()
    const before = await readFile(file())
    const error = await load().catch((error: unknown) => error)
    expect(error).toBeInstanceOf(HostKeyError)
    expect(String(error)).toContain(file())
    expect(await readFile(file())).toEqual(before)
  })

  test('a host key with a passphrase is refused', async () => {
    await load()
    await execa('ssh-keygen', ['-p', '-P', '', '-N', 'secret', '-f', file()])
    await expect(load()).rejects.toBeInstanceOf(HostKeyError)
  })
})

let dir: string
const at = (name: string): string => join(dir, name)

async function make(name: string, ...words: readonly string[]): Promise<string> {
  await execa('ssh-keygen', ['-q', '-N', '', '-f', at(name), ...words], { stdin: 'ignore' })
  return at(name)
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-named-'))
  await make('ed', '-t', 'ed25519')
  await make('rsa', '-t', 'rsa', '-b', '2048')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Of a file that holds no key for a host. */
const UNFIT = /is no whole private key of Ed25519, or of RSA with 2048 bits or more; .* ssh-keygen -t ed25519/

const problemsOf = async (...names: readonly string[]): Promise<readonly string[]> =>
  (await readNamedHostKeys(names.map(at))).problems

test('keys of ssh-keygen are read in their order, with the fingerprints that it prints', async () => {
  const pem = await make('pem', '-t', 'rsa', '-b', '3072', '-m', 'PEM')
  for (const files of [
    [at('ed'), at('rsa')],
    [pem, at('ed')],
  ]) {
    const { keys, problems } = await readNamedHostKeys(files)
    expect(problems).toEqual([])
    const printed = await Promise.all(files.map((file) => execa('ssh-keygen', ['-lf', file])))
    expect(keys.map(({ fingerprint }) => fingerprint)).toEqual(
      printed.map(({ stdout }) => stdout.split(' ')[1]),
    )
  }
})

test.each<readonly [string, () => Promise<unknown>, RegExp]>([
  ['missing', async () => undefined, /^there is no file \S+\/key; make a key with: ssh-keygen -t ed25519/],
  ['a directory', () => mkdir(at('key')), /^\S+\/key is not a file/],
  ['a pipe', () => execa('mkfifo', [at('key')]), /^\S+\/key is not a file/],
  ['empty', () => writeFile(at('key'), '', { mode: 0o600 }), UNFIT],
  ['binary', () => writeFile(at('key'), Buffer.alloc(999, 0xff), { mode: 0o600 }), UNFIT],
  ['huge', () => writeFile(at('key'), Buffer.alloc(1e6, 'x'), { mode: 0o600 }), UNFIT],
  ['a public key', async () => writeFile(at('key'), await readFile(at('ed.pub')), { mode: 0o600 }), UNFIT],
  ['cut in the middle', async () => (await copyFile(at('ed'), at('key')), truncate(at('key'), 200)), UNFIT],
  ['of a curve that is not used', () => make('key', '-t', 'ecdsa'), UNFIT],
  ['too short', () => make('key', '-t', 'rsa', '-b', '1024'), UNFIT],
  [
    'encrypted',
    () => make('key', '-t', 'ed25519', '-N', 'secret'),
    /has a passphrase, .* take it off with: ssh-keygen -p -f/,
  ],
  [
    'encrypted in the old form',
    () => make('key', '-t', 'rsa', '-m', 'PEM', '-N', 'secret'),
    /has a passphrase/,
  ],
  [
    'readable for others',
    async () => (await copyFile(at('ed'), at('key')), chmod(at('key'), 0o640)),
    /^others can read \S+; run: chmod 600 \S+\/key$/,
  ],
])('a host key that is %s is refused with advice', async (_name, spoil, sentence) => {
  await rm(at('key'), { recursive: true, force: true })
  await rm(at('key.pub'), { force: true })
  await spoil()
  const { keys, problems } = await readNamedHostKeys([at('key'), at('rsa')])
  expect(problems).toEqual([expect.stringMatching(sentence)])
  expect(keys).toHaveLength(1)
})

test('a host key file that belongs to another user may be readable for everybody', async (context) => {
  if (process.getuid?.() !== 0) context.skip()
  await copyFile(at('ed'), at('mounted'))
  await chmod(at('mounted'), 0o444)
  await execa('chown', ['65534', at('mounted')])
  expect(await problemsOf('mounted')).toEqual([])
})

test('a second host key of one type is refused', async () => {
  await copyFile(at('ed'), at('copy'))
  await make('other', '-t', 'ed25519')
  expect(await problemsOf('ed', 'copy', 'rsa', 'other', 'ed')).toEqual([
    ...['copy', 'other', 'ed'].map(
      (name) =>
        `${at(name)} is a second key of the type ssh-ed25519, after ${at('ed')}, and only one can be shown; leave one out`,
    ),
  ])
})
