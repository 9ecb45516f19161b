import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'
import { type Fingerprint, type Person, withLogin } from '../../../../src/words/person.ts'
import { createCommandWorld, done, jsonOf, refused } from '../../../support/commands/command-world.ts'
import { MAX_KEYS, MAX_TOKENS } from '../../../support/people.ts'
import { createSshHome } from '../../../support/ssh.ts'
import { LOBBY } from '../../../../src/words/names.ts'

const home = await createSshHome()
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

test('/keys adds a key from standard input or the line, lists it and removes it', async () => {
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
] as const)('a public key of type %s can be added with /keys add', async (label, args) => {
  await using world = await createCommandWorld()
  const line = await publicKey(label, args.length > 0 ? args : undefined)
  expect(await world.exec(world.ann, 'keys add', line)).toEqual(waits(await home.fingerprint(label)))
})

test('/keys add refuses a text that is no usable public key', async () => {
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

test('/keys keeps the last proven key, accepts a key that others have, and limits the number', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'keys remove SHA256:ann')).toEqual(
    refused(
      'this is your last key that has logged in, and without it you could not log in; log in with another key first',
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

test('the removal of a key ends only the sessions that logged in with it', async () => {
  await using world = await createCommandWorld()
  const [first, second] = [await home.fingerprint('one'), await home.fingerprint('two')]
  for (const name of ['one', 'two']) await world.exec(world.ann, 'keys add', await publicKey(name))
  const ended: string[] = []
  for (const person of [idOf(world.ann, first), idOf(world.ann, second), idOf(world.bob, first)])
    world.clients.begin({ person, end: () => void ended.push(`${person.name} ${person.login?.key}`) })
  await world.exec(world.ann, `keys remove ${first}`)
  expect(ended).toEqual([`ann ${first}`])
})

const TOKEN = /^sshawl_[\w-]{43}$/

/** The same person, come in with a token. */
const withToken = (person: Person, id: number): Person =>
  withLogin(person, { key: 'SHA256:k' as never, network: '127.0.0.1', token: { id, until: 1 } })

test('/token new prints only the token in a script, and also its scope in a session', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'token new --rooms den,hall --days 2')).toEqual(
    done(expect.stringMatching(TOKEN)),
  )
  const { out } = await world.type(world.ann, 'token new')
  expect(out).toEqual([
    expect.stringMatching(TOKEN),
    expect.stringContaining('token 2, for all your rooms and 30 days; it is shown only now'),
  ])
  expect(jsonOf(await world.exec(world.ann, 'token new --json --rooms hall,hall,'))).toEqual({
    id: 3,
    token: expect.stringMatching(TOKEN),
    rooms: ['hall'],
    days: 30,
    until: '2026-01-31T00:00:00.000Z',
  })
  expect(await world.exec(world.ann, 'token list')).toEqual(
    done(
      `1  made 1 Jan 2026 00:00 UTC, until 3 Jan 2026 00:00 UTC, for den, hall\n2  made 1 Jan 2026 00:00 UTC, until 31 Jan 2026 00:00 UTC, for all your rooms\n3  made 1 Jan 2026 00:00 UTC, until 31 Jan 2026 00:00 UTC, for hall`,
    ),
  )
  expect(await world.exec(world.ann, 'token new')).toEqual(
    refused(`you have ${MAX_TOKENS} tokens already; revoke one before you make another`),
  )
})

test('a new token is neither stored in plain text nor logged', async () => {
  await using world = await createCommandWorld()
  const { out } = await world.exec(world.ann, 'token new')
  const { tokens } = world.turnWorld.chatParts.storage.chat
  expect(JSON.stringify(await tokens.list(world.ann.id, 0))).not.toContain(out[0])
  expect(await tokens.find(out[0]!, 0)).toBeUndefined()
  expect(world.turnWorld.chatParts.log.lines.join('\n')).not.toContain(out[0])
})

test.each([
  ['--days 0', '--days takes a whole number from 1 to 365, such as --days 30'],
  ['--days 366', '--days takes a whole number from 1 to 365, such as --days 30'],
  ['--days -1', '--days takes a whole number from 1 to 365, such as --days 30'],
  ['--rooms ,', '--rooms takes 1 to 32 rooms with commas between them, such as lobby,den'],
  [
    `--rooms ${Array.from({ length: 33 }, (_, at) => `r${at}`).join(',')}`,
    expect.stringContaining('32 rooms'),
  ],
  ['den', 'new takes nothing more'],
])('/token new %s is a usage error and creates no token', async (words, problem) => {
  await using world = await createCommandWorld()
  const { status, err } = await world.exec(world.ann, `token new ${words}`)
  expect({ status, problem: err[0]?.replace('token: ', '') }).toEqual({ status: 2, problem })
  expect(await world.exec(world.ann, 'token list')).toEqual(done('you have no token'))
})

test('/token revoke ends only the sessions of that token', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'token new')
  await world.exec(world.ann, 'token new')
  const ended: string[] = []
  for (const id of [1, 2])
    world.clients.begin({ person: withToken(world.ann, id), end: (why) => ended.push(`${id}: ${why}`) })
  world.clients.begin({ person: world.ann, end: (why) => ended.push(why) })
  expect(await world.exec(world.bob, 'token revoke 1')).toEqual(
    refused('you have no token 1; token list shows yours'),
  )
  expect(await world.exec(world.ann, 'token revoke 1')).toEqual(done('token 1 lets nobody in any more'))
  expect(ended).toEqual(['1: token 1, with which you logged in, was revoked'])
  expect(await world.exec(world.ann, 'token revoke 1')).toMatchObject({ status: 1 })
  expect(await world.exec(world.root, 'token revoke 2')).toMatchObject({ status: 0 })
  expect(ended).toHaveLength(2)
})

test.each([
  'token revoke',
  'token revoke x',
  'token revoke 1e3',
  'token revoke -1',
  'token list 3',
  'token list --days 3',
])('the line %s is a usage error', async (line) => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, line)).toMatchObject({ status: 2 })
})

test('/token list says if all rooms of a token are gone', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'token new --rooms den')
  await world.turnWorld.chatParts.storage.chat.removal.remove('den' as never)
  expect((await world.exec(world.ann, 'token list')).out[0]).toContain(
    'for no room: all of its rooms are gone',
  )
})

test('completion of /token offers rooms for new and token numbers for revoke', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'token new')
  const command = world.commands.find(({ name }) => name === 'token')!
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  const complete = async (person: Person, given: readonly string[], argument: string) =>
    await command.complete(argument, { room, person, given, word: '' })
  expect(await complete(world.bob, ['new'], 'rooms')).toEqual(['hall', 'lobby'])
  expect(await complete(world.ann, ['revoke'], 'id')).toEqual(['1'])
  expect(await complete(world.guest, ['revoke'], 'id')).toEqual([])
  expect(await complete(world.ann, ['list'], 'id')).toEqual([])
})

const CODE = /^([A-Z0-9]{4}-){3}[A-Z0-9]{4}$/
const UNTIL = '2026-01-08T00:00:00.000Z'

test('/invites new prints only the code in a script, and also its limits in a session', async () => {
  await using world = await createCommandWorld()
  const script = await world.exec(world.ann, 'invites new --uses 3 --days 2')
  expect(script).toEqual(done(expect.stringMatching(CODE)))
  const { out } = await world.type(world.ann, 'invites new')
  expect(out).toEqual([
    expect.stringMatching(CODE),
    expect.stringMatching(/lets 1 newcomer in, for 7 days[^]*\nssh NAME\+[A-Z0-9-]+@HOST$/),
  ])
  expect(jsonOf(await world.exec(world.ann, 'invites new --json den'))).toEqual({
    code: expect.stringMatching(CODE),
    room: 'den',
    uses: 1,
    days: 7,
  })
  expect(await world.exec(world.ann, 'invites list')).toEqual(
    done(
      `1  3 of 3 uses left, until 3 Jan 2026 00:00 UTC, by ann\n2  1 of 1 use left, until 8 Jan 2026 00:00 UTC, by ann\n3  1 of 1 use left, until 8 Jan 2026 00:00 UTC, by ann, room den`,
    ),
  )
})

test('/invites new with a room tells the session how newcomers get into the room', async () => {
  await using world = await createCommandWorld()
  const { out } = await world.type(world.ann, 'invites new hall')
  expect(out.at(-1)).toBe('-- they begin in the lobby; they type /join hall')
})

test('commands with actions list their items if no action is given', async () => {
  await using world = await createCommandWorld()
  for (const line of ['keys', 'invites', 'token', 'script'])
    expect([line, await world.type(world.bob, line)]).toMatchObject([line, { status: 0, err: [] }])
  expect((await world.type(world.bob, 'invites')).out).toEqual([
    'no invite code is open; /invites new [ROOM] makes one',
  ])
})

test.each([
  ['--uses 0', '--uses takes a whole number from 1 to 100, such as --uses 1'],
  ['--uses 101', '--uses takes a whole number from 1 to 100, such as --uses 1'],
  ['--uses 1e2', '--uses takes a whole number from 1 to 100, such as --uses 1'],
  ['--days -1', '--days takes a whole number from 1 to 365, such as --days 7'],
  ['--days 99999999999', '--days takes a whole number from 1 to 365, such as --days 7'],
])('/invites new %s is a usage error and creates no code', async (words, problem) => {
  await using world = await createCommandWorld()
  const { status, err } = await world.exec(world.ann, `invites new ${words}`)
  expect({ status, problem: err[0] }).toEqual({ status: 2, problem: `invites: ${problem}` })
  expect(await world.exec(world.ann, 'invites list')).toEqual(
    done('no invite code is open; invites new [ROOM] makes one'),
  )
})

test('/invites new is allowed for members, ops of the lobby or admins, as configured', async () => {
  await using world = await createCommandWorld()
  const { storage } = world.turnWorld.chatParts
  const make = async () =>
    Promise.all(
      [world.ann, world.bob, world.root].map(async (who) => (await world.exec(who, 'invites new')).status),
    )
  await storage.chat.rooms.setMembership(LOBBY, world.bob.id, 'op')
  expect(await make()).toEqual([0, 0, 0])
  world.invitePolicy.invites = 'ops'
  expect(await make()).toEqual([1, 0, 0])
  world.invitePolicy.invites = 'admins'
  expect(await make()).toEqual([1, 1, 0])
  expect(await world.exec(world.ann, 'invites new')).toEqual(
    refused('only admins can make invite codes here; ask one of them'),
  )
  world.invitePolicy.access = 'closed'
  expect(await make()).toEqual([1, 1, 1])
})

test('a member sees and revokes only own invite codes, an admin those of non-private rooms', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'invites new den')
  await world.exec(world.bob, 'invites new')
  const ofAnn = { id: 1, by: 'ann', room: 'den', uses: 1, uses_left: 1, until: UNTIL }
  expect(jsonOf(await world.exec(world.ann, 'invites list --json'))).toEqual([ofAnn])
  expect(jsonOf(await world.exec(world.root, 'invites list --json'))).toMatchObject([
    { ...ofAnn, room: null },
    { id: 2, by: 'bob' },
  ])
  expect(await world.exec(world.bob, 'invites revoke 1')).toEqual(
    refused('you have no open invite 1; see invites list'),
  )
  expect(await world.exec(world.ann, 'invites revoke 1')).toEqual(done('invite 1 lets nobody in any more'))
  expect(await world.exec(world.root, 'invites revoke 2')).toEqual(done('invite 2 lets nobody in any more'))
  expect(await world.exec(world.root, 'invites list')).toEqual(
    done('no invite code is open; invites new [ROOM] makes one'),
  )
})

test.each(['', 'x', '-1', '1.5', '99999999999999999999'])(
  '/invites revoke %j is a usage error',
  async (which) => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.ann, `invites revoke ${which}`)).toMatchObject({ status: 2, out: [] })
  },
)

test('/invites rejects the flags of new for other actions, and unknown actions', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'invites list --uses 2')).toMatchObject({ status: 2 })
  expect(await world.exec(world.ann, 'invites list den')).toMatchObject({ status: 2 })
  expect(await world.exec(world.ann, 'invites drop')).toMatchObject({ status: 2 })
})
