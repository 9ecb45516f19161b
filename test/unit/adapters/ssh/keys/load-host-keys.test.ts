import { chmod, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HostKeyError, loadHostKeys } from '../../../../../src/adapters/ssh/keys/host-keys.ts'

let dir: string
const file = (): string => join(dir, 'data', 'host_key_ed25519')
const load = () => loadHostKeys(join(dir, 'data'))

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sshawl-keys-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

test('the first start makes a key that ssh-keygen reads, the second finds the same', async () => {
  const [first] = await load()
  const { stdout } = await execa('ssh-keygen', ['-lf', file()])
  expect(stdout).toContain(`256 ${first!.fingerprint}`)
  expect(await load()).toEqual([first])
})

test('the key and its directory are for the owner only, and nothing else is left behind', async () => {
  await load()
  expect((await stat(file())).mode & 0o777).toBe(0o600)
  expect((await stat(join(dir, 'data'))).mode & 0o777).toBe(0o700)
  expect(await readdir(join(dir, 'data'))).toEqual(['host_key_ed25519'])
})

test('two starts at once agree on one key', async () => {
  const keys = await Promise.all(Array.from({ length: 8 }, load))
  expect(new Set(keys.map(([key]) => key!.fingerprint)).size).toBe(1)
})

test('a key that others can read is refused with the command that repairs it', async () => {
  await load()
  await chmod(file(), 0o640)
  await expect(load()).rejects.toThrow(`chmod 600 ${file()}`)
})

test.each([
  ['cut in the middle', async () => truncate(file(), 150)],
  ['empty', async () => truncate(file(), 0)],
  ['binary', async () => writeFile(file(), Buffer.alloc(4096, 0xff))],
  ['a public key', async () => writeFile(file(), await readFile(`${file()}.pub`, 'utf8'))],
])('a key file that is %s is refused and left as it is', async (_label, spoil) => {
  await load()
  await writeFile(`${file()}.pub`, (await execa('ssh-keygen', ['-yf', file()])).stdout)
  await spoil()
  const before = await readFile(file())
  const error = await load().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(HostKeyError)
  expect(String(error)).toContain(file())
  expect(await readFile(file())).toEqual(before)
})

test('a key with a passphrase is refused', async () => {
  await load()
  await execa('ssh-keygen', ['-p', '-P', '', '-N', 'secret', '-f', file()])
  await expect(load()).rejects.toBeInstanceOf(HostKeyError)
})
