import { execa } from 'execa'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Fingerprint, Person } from '../../../../src/chat/people/person.ts'
import { createCommandWorld, done, jsonOf, refused } from '../../../support/commands/command-world.ts'
import { MAX_KEYS } from '../../../support/people.ts'
import { createSshHome, type SshHome } from '../../../support/ssh.ts'

let home: SshHome
beforeAll(async () => {
  home = await createSshHome()
})
afterAll(() => home[Symbol.asyncDispose]())

/** The line of a `.pub` file that ssh-keygen made. */
async function publicKey(name: string, args?: readonly string[]): Promise<string> {
  const file = await home.key(name, args)
  return (await execa('cat', [`${file}.pub`])).stdout
}

/** What `keys add` answers, whoever has the key. */
const waits = (key: string, name = 'ann') =>
  done(`${key} waits: it is yours once somebody has logged in with it as ${name}`)

const idOf = (person: Person, key: string): Person => ({
  ...person,
  login: { key: key as NonNullable<Person['login']>['key'], network: '127.0.0.1' },
})

test('a key is added from standard input or the line, listed with which is in use, and removed', async () => {
  await using world = await createCommandWorld()
  const [first, second] = [await home.fingerprint('one'), await home.fingerprint('two')]
  expect(await world.exec(world.ann, 'keys add', `${await publicKey('one')}\n`)).toEqual(waits(first))
  expect(await world.type(world.ann, `keys add ${await publicKey('two')}`)).toEqual(waits(second))
  const list = jsonOf(await world.exec(idOf(world.ann, second), 'keys list --json'))
  expect(list).toMatchObject(
    [
      { fingerprint: 'SHA256:ann', waiting: false, in_use: false },
      { fingerprint: first, waiting: true, in_use: false },
      { fingerprint: second, waiting: true, in_use: true },
    ].toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1)),
  )
  expect((await world.exec(world.ann, `keys remove ${first}`)).status).toBe(0)
  expect((await world.exec(world.ann, 'keys list')).out.join('\n')).not.toContain(first)
})

test.each([
  ['Ed25519', []],
  ['ECDSA', ['-t', 'ecdsa', '-b', '521']],
  ['RSA', ['-t', 'rsa', '-b', '2048']],
] as const)('%s keys can be added', async (label, args) => {
  await using world = await createCommandWorld()
  const line = await publicKey(label, args.length > 0 ? args : undefined)
  expect(await world.exec(world.ann, 'keys add', line)).toEqual(waits(await home.fingerprint(label)))
})

test('what is no public key that could log in is refused, and nothing is added', async () => {
  await using world = await createCommandWorld()
  const good = await publicKey('one')
  const [type, base64 = ''] = good.split(' ')
  const short = await publicKey('short', ['-t', 'rsa', '-b', '1024'])
  const secret = (await execa('cat', [await home.key('one')])).stdout
  const bad = [
    'x',
    `ssh-rsa ${base64}`,
    `${type} ${base64.slice(0, 40)}`,
    `${type} !!!`,
    short,
    secret,
    `${good}\n${good}`,
  ]
  for (const line of [
    ...bad,
    `restrict ${good}`,
    '\0',
    'A'.repeat(60_000),
    `sk-ssh-ed25519@openssh.com ${base64}`,
  ])
    expect(await world.exec(world.ann, 'keys add', line)).toMatchObject({ status: 1, out: [] })
  expect(await world.exec(world.ann, 'keys add', ' ')).toEqual(
    refused('there is no key: give the line of a .pub file'),
  )
  expect(jsonOf(await world.exec(world.ann, 'keys list --json'))).toHaveLength(1)
})

test('the last key stays, a key that somebody else has waits like any other, and there is a limit', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'keys remove SHA256:ann')).toEqual(
    refused(
      'this is your last key that has logged in, and without it you could not come in; log in with another one first',
    ),
  )
  expect(await world.exec(world.ann, 'keys remove SHA256:bob')).toEqual(
    refused('you have no key SHA256:bob; keys list shows yours'),
  )
  const one = await publicKey('one')
  await world.exec(world.bob, 'keys add', one)
  const bobs = await home.fingerprint('one')
  await world.turnWorld.chatParts.storage.chat.keys.prove(world.bob.id, bobs as Fingerprint)
  expect(await world.exec(world.bob, 'keys add', one)).toMatchObject({
    status: 1,
    err: [expect.stringContaining('yours already')],
  })
  await world.exec(world.root, `ban ${bobs}`)
  expect(await world.exec(world.ann, 'keys add', one)).toEqual(waits(bobs))
  await world.exec(world.ann, `keys remove ${bobs}`)
  for (let n = 1; n < MAX_KEYS; n++)
    expect((await world.exec(world.ann, 'keys add', await publicKey(`many${n}`))).status).toBe(0)
  expect(await world.exec(world.ann, 'keys add', await publicKey('many9'))).toEqual(
    refused(`you have ${MAX_KEYS} keys already; remove one before you add another`),
  )
})

test('a guest has no keys, and wrong words are a wrong use', async () => {
  await using world = await createCommandWorld()
  for (const line of ['keys list', 'keys remove SHA256:x', 'keys add x'])
    expect(await world.exec(world.guest, line)).toEqual(
      refused('a guest has no keys here; log in with a name of your own'),
    )
  for (const line of ['keys', 'keys drop', 'keys remove', 'keys list x'])
    expect(await world.exec(world.ann, line)).toMatchObject({ status: 2, out: [] })
})

test('what came in with a removed key ends, and nothing else does', async () => {
  await using world = await createCommandWorld()
  const [first, second] = [await home.fingerprint('one'), await home.fingerprint('two')]
  for (const name of ['one', 'two']) await world.exec(world.ann, 'keys add', await publicKey(name))
  const ended: string[] = []
  for (const person of [idOf(world.ann, first), idOf(world.ann, second), idOf(world.bob, first)])
    world.clients.begin({ person, end: () => void ended.push(`${person.name} ${person.login?.key}`) })
  await world.exec(world.ann, `keys remove ${first}`)
  expect(ended).toEqual([`ann ${first}`])
})
