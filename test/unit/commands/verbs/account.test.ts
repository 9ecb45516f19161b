import { expect, test } from 'vitest'
import { type Fingerprint, withLogin } from '../../../../src/words/person.ts'
import { createChatParts, screenOf } from '../../../support/chat-parts.ts'
import {
  CLAIM_CODE,
  createCommandWorld,
  createCommandWorldWith,
  done,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'
import { createPeopleParts } from '../../../support/people.ts'

test('/whoami prints the current name and role', async () => {
  await using world = await createCommandWorldWith({ hasNoAdmin: true })
  expect(await world.type(world.bob, 'whoami')).toEqual(done('bob (member)'))
  expect(await world.exec(world.root, 'whoami')).toEqual(done('root (member)'))
  expect(await world.exec(world.guest, 'whoami --json')).toEqual(done('{"name":"ann-2","role":"guest"}'))
  await world.turnWorld.chatParts.storage.chat.people.claimAdmin(world.root.id)
  expect(await world.exec(world.root, 'whoami')).toEqual(done('root (admin)'))
})

const HERE = '127.0.0.1'

test('/rename keeps the rights of a person and is announced in the room', async () => {
  await using world = await createCommandWorld()
  const { rooms } = world.turnWorld.chatParts
  const hall = await rooms.get('hall', world.ann)
  const screen = screenOf(world.ann)
  await hall.enter(screen)
  expect(await world.exec(world.ann, 'rename anna')).toEqual(
    done('you are anna now; nobody else can take ann for 30 days'),
  )
  expect(await world.exec(world.ann, 'whoami')).toEqual(done('anna (member)'))
  expect(await world.exec(world.ann, 'topic hall mine')).toMatchObject({ status: 0 })
  expect(await hall.roleOf(world.ann)).toBe('owner')
  expect((await hall.history({ limit: 9 })).map(({ author, text }) => [author, text])).toContainEqual([
    'anna',
    'ann is called anna now',
  ])
  expect(screen.texts()).toContain('ann is called anna now')
})

test('/rename refuses names that are in use, reserved, invalid or unchanged', async () => {
  await using world = await createCommandWorld()
  for (const name of ['bob', 'BOB', 'qwen'])
    expect(await world.exec(world.ann, `rename ${name}`)).toEqual(
      refused(`the name ${name} is taken; choose another`),
    )
  expect(await world.exec(world.ann, 'rename ann')).toEqual(refused('you are called ann already'))
  for (const name of ['a+b', 'x'.repeat(25), '...'])
    expect(await world.exec(world.ann, `rename ${name}`)).toMatchObject({
      status: 1,
      err: [expect.stringContaining('cannot be called that')],
    })
  await world.exec(world.bob, 'rename bobby')
  expect(await world.exec(world.ann, 'rename bob')).toEqual(refused('the name bob is taken; choose another'))
  expect(await world.exec(world.guest, 'rename gus')).toMatchObject({ status: 1 })
})

test('/rename is refused if the limit of former names is reached', async () => {
  await using world = await createCommandWorld()
  for (const name of ['b1', 'b2']) expect((await world.exec(world.bob, `rename ${name}`)).status).toBe(0)
  expect(await world.exec(world.bob, 'rename b3')).toMatchObject({
    status: 1,
    err: [expect.stringContaining('2 former names are kept for you')],
  })
  expect((await world.exec(world.bob, 'rename b1')).status).toBe(0)
})

test('the daily limit of renames covers all names of a key and ignores refused renames', async () => {
  const parts = await createChatParts()
  const { people } = createPeopleParts(parts)
  const key = 'SHA256:k' as Fingerprint
  const come = async (name: string) =>
    withLogin(await people.identify(name, key, HERE), { key, network: HERE })
  const [ann, zoe] = [await come('ann'), await come('zoe')]
  const turn = async (person: typeof ann, names: readonly string[]): Promise<void> => {
    for (const name of names) await people.rename(person, name)
  }
  await turn(ann, ['anna', 'ann', 'anna', 'ann'])
  for (const name of ['zoe', 'ann', 'a+b', 'system']) await expect(people.rename(ann, name)).rejects.toThrow()
  await turn(zoe, ['zora'])
  for (const [person, name] of [
    [ann, 'anna'],
    [zoe, 'zoe'],
  ] as const)
    await expect(people.rename(person, name)).rejects.toThrow(
      'a name can be changed 5 times a day (renames_per_day); try again later',
    )
  expect([ann.name, zoe.name]).toEqual(['ann', 'zora'])
  const fifth = 86_400_000 / 5
  parts.clock.advance(fifth - 1)
  await expect(people.rename(ann, 'anna')).rejects.toThrow('renames_per_day')
  parts.clock.advance(1)
  await turn(ann, ['anna'])
  await expect(people.rename(zoe, 'zoe')).rejects.toThrow('renames_per_day')
})

test('present people are shown and sorted under a new name after a rename', async () => {
  const parts = await createChatParts()
  const { people } = createPeopleParts(parts)
  const key = (name: string) => `SHA256:${name}` as Fingerprint
  const [ann, bob] = [
    await people.identify('ann', key('a'), HERE),
    await people.identify('bob', key('b'), HERE),
  ]
  const lobby = await parts.rooms.lobby()
  for (const person of [ann, bob]) await lobby.enter(screenOf(person))
  await people.rename(await people.identify('ann', key('a'), HERE), 'zoe')
  await lobby.renamed(ann, 'ann')
  expect(ann.name).toBe('zoe')
  expect(lobby.present().map(({ name }) => name)).toEqual(['bob', 'zoe'])
  expect(await people.identify('ann', key('a'), HERE)).toMatchObject({ id: ann.id, name: 'zoe' })
  expect(await people.identify('ann', key('c'), HERE)).toMatchObject({ name: 'ann-917', guest: true })
})

test('a former name is free for others after 30 days', async () => {
  const parts = await createChatParts()
  const { people } = createPeopleParts(parts)
  const ann = await people.identify('ann', 'SHA256:a' as Fingerprint, HERE)
  await people.rename(ann, 'zoe')
  const other = 'SHA256:c' as Fingerprint
  parts.clock.step(30 * 86_400_000 - 1)
  expect(await people.identify('ann', other, HERE)).toMatchObject({ guest: true })
  parts.clock.step(1)
  expect(await people.identify('ann', other, HERE)).toMatchObject({ name: 'ann', guest: false })
})

test('/set stores an option for its person alone and shows its value', async () => {
  await using world = await createCommandWorld()
  const { ann, bob, preferences } = world
  expect(await world.type(ann, 'set bell off')).toEqual(done('bell is off'))
  expect(await world.type(ann, 'set bell on')).toEqual(done('bell is mention'))
  expect((await world.type(ann, 'set theme on')).status).toBe(1)
  expect(await world.type(ann, 'set bell off')).toEqual(done('bell is off'))
  expect(await world.exec(ann, 'set TIMESTAMPS Full')).toEqual(done('timestamps is full'))
  expect(await preferences.of(ann)).toEqual({ bell: 'off', timestamps: 'full' })
  expect(await preferences.of(bob)).toEqual({})
  const [line = ''] = (await world.type(ann, 'set bell')).out
  expect(line).toMatch(/^bell off \(or mention, all\): when /)
  const list = (await world.type(bob, 'set')).out.join('\n')
  expect(list).toMatch(/^bell mention \(or off, all\)/)
  for (const option of ['timestamps minutes', 'theme auto', 'plain off', 'color auto'])
    expect(list).toContain(`\n${option} (or `)
  expect(list).toContain('until you set it, SSHAWL_PLAIN decides')
})

test('/set refuses unknown options or values, lists the valid ones and changes nothing', async () => {
  await using world = await createCommandWorld()
  const { ann } = world
  const options = 'bell, timestamps, timezone, theme, plain, color, history, notify, words'
  expect(await world.type(ann, 'set colour green')).toEqual(
    refused(`there is no option colour; did you mean color? Choose from ${options}`),
  )
  expect(await world.type(ann, 'set __proto__ on')).toEqual(
    refused(`there is no option __proto__; choose from ${options}`),
  )
  expect(await world.type(ann, 'set theme drak')).toEqual(
    refused(
      'theme cannot be drak; did you mean dark? Choose from auto, dark, light, mono. Nothing was changed',
    ),
  )
  expect(await world.preferences.of(ann)).toEqual({})
})

test('an option of a guest lasts until they leave, and is refused without a session', async () => {
  await using world = await createCommandWorld()
  const { guest, preferences } = world
  expect(await world.exec(guest, 'set bell all')).toEqual(
    refused('options of a guest last as long as a session, and none is open'),
  )
  const session = await preferences.open(guest)
  expect(await world.type(guest, 'set bell all')).toEqual(
    done('bell is all until you leave: guests keep nothing'),
  )
  expect(session.now()).toEqual({ bell: 'all' })
  session.close()
  expect(await preferences.of(guest)).toEqual({})
})

const WRONG =
  'that claim code is wrong or was used already; the server prints one at its start until it has an admin'

test('/set timezone accepts an IANA name in any case and suggests one for a city', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'set timezone europe/berlin')).toEqual(done('timezone is Europe/Berlin'))
  expect((await world.type(world.bob, 'set timezone')).out).toEqual([
    'timezone Europe/Berlin (or a name such as Europe/Berlin): the time zone for the times that you see; a TZ that ssh sends overrides it',
  ])
  expect(await world.type(world.bob, 'set timezone tokyo')).toEqual(
    refused('timezone cannot be tokyo; did you mean Asia/Tokyo? Nothing was changed'),
  )
})

test('/set timezone repeats the name that was typed if the zone has another one', async () => {
  await using world = await createCommandWorld()
  const { out } = await world.type(world.bob, 'set timezone CET')
  expect(out.join()).toMatch(/^timezone is CET(, which is Europe\/Brussels)?$/)
})

test('/claim is refused for a wrong code, for a guest, and if there is an admin', async () => {
  await using world = await createCommandWorld()
  for (const code of ['nope', '-', 'x'.repeat(9_999), `${CLAIM_CODE}x`])
    expect(await world.exec(world.bob, `claim ${code}`)).toEqual(refused(WRONG))
  expect(await world.type(world.guest, `claim ${CLAIM_CODE}`)).toEqual(
    refused('a guest cannot be admin; log in with a name that nobody has'),
  )
  expect(await world.exec(world.bob, `claim ${CLAIM_CODE}`)).toEqual(refused('there is an admin already'))
  expect(await world.exec(world.bob, 'claim')).toEqual(misused('claim: CODE is missing', 'claim CODE'))
})

test('/quit ends a session and does nothing in a script', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'QUIT')).toEqual({ ...done(), moves: ['quit'] })
  expect(await world.exec(world.bob, 'quit')).toEqual(done())
  expect(await world.type(world.bob, 'quit now')).toEqual(
    misused('quit: "now" is one word too many', '/quit'),
  )
})
