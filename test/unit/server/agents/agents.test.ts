import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentListener } from '../../../../src/chat/agent-listener.ts'
import { createAgents, type Agents } from '../../../../src/server/agents.ts'
import type { Entry, RoomName } from '../../../../src/words/entry.ts'
import type { Person } from '../../../../src/words/person.ts'
import { createCommandWorld, type CommandWorld } from '../../../support/commands/command-world.ts'
import { newAccount } from '../../../support/shared-by-sessions.ts'

let world: CommandWorld
let agents: Agents

beforeEach(async () => {
  world = await createCommandWorld()
  const { rooms, log, sanctions } = world.turnWorld.chatParts
  agents = createAgents({
    runner: world.runner,
    rooms,
    door: { begin: (client) => world.clients.begin(client), whyOut: (person) => sanctions.whyOut(person) },
    talk: world.talk,
    log,
  })
})
afterEach(() => world[Symbol.asyncDispose]())

/** An agent, and all that it hears. */
async function open(person: Person) {
  const gone = new AbortController()
  const agent = await agents.open(person, { signal: gone.signal, account: newAccount() })
  const heard: string[] = []
  const listener: AgentListener = {
    heard: (entry: Entry) => void heard.push(`heard ${entry.text}`),
    changed: (entry) => void heard.push(`changed ${entry.room}: ${entry.text}`),
    written: ({ from, text }, onRead) => {
      heard.push(`${from.name} wrote: ${text}`)
      onRead?.()
    },
    putOut: (room, { why }) => void heard.push(`out of ${room}: ${why}`),
  }
  agent.listen(listener)
  const { signal } = new AbortController()
  return {
    agent,
    gone,
    heard,
    run: (verb: string, room?: string, args: Record<string, string> = {}) =>
      agent.run({ verb, args, ...(room === undefined ? {} : { room }) }, { signal }),
    join: (name: string) => agent.run({ verb: 'join', args: { name } }, { signal }),
  }
}

const presentIn = async (name: string): Promise<readonly string[]> => {
  const room = await world.turnWorld.chatParts.rooms.anyRoom(name as RoomName)
  return room!.present().map((person) => person.name)
}

test('an agent is present once in every room it joins, until it is closed', async () => {
  const { agent, join, heard } = await open(world.bob)
  await Promise.all([join('hall'), join('hall'), join('lobby')])
  expect(await presentIn('hall')).toEqual(['bob'])
  expect(await presentIn('lobby')).toEqual(['bob'])
  await world.exec(world.ann, 'say hall hello')
  expect(heard.filter((one) => one === 'heard hello')).toHaveLength(1)
  await agent.close()
  expect([await presentIn('hall'), await presentIn('lobby')]).toEqual([[], []])
  await world.exec(world.ann, 'say hall who is there')
  expect(heard).not.toContain('heard who is there')
})

test('an agent that is closed during a join enters no room', async () => {
  const { agent, join } = await open(world.bob)
  const [, , second] = await Promise.all([join('hall'), agent.close(), join('lobby')])
  expect(await presentIn('hall')).toEqual([])
  expect(await presentIn('lobby')).toEqual([])
  expect(second).toMatchObject({
    ok: false,
    told: 'you were disconnected before this was done; it was not done',
  })
})

test('a person with two agents leaves a room when the last of their agents leaves', async () => {
  const [one, other] = [await open(world.bob), await open(world.bob)]
  await one.join('hall')
  await other.join('hall')
  await one.agent.close()
  expect(await presentIn('hall')).toEqual(['bob'])
  await other.agent.close()
  expect(await presentIn('hall')).toEqual([])
})

test('an agent is removed by a kick, by the deletion of a room and by a server ban', async () => {
  const { agent, join, heard } = await open(world.bob)
  await join('hall')
  await world.exec(world.ann, 'kick hall bob')
  expect(heard.at(-1)).toContain('ann kicked you out of hall')
  await join('hall')
  await world.exec(world.ann, 'delete hall')
  await world.exec(world.ann, 'delete hall hall')
  expect(heard.at(-1)).toContain('ann deleted hall')
  await world.exec(world.root, 'ban bob')
  expect(agent.signal.aborted).toBe(true)
  expect(String(agent.signal.reason)).toContain('you were banned from this server')
  const again = await open(world.bob)
  expect(again.agent.signal.aborted).toBe(true)
})

test('an agent can join 32 rooms and follow 32 rooms', async () => {
  const { join, agent } = await open(world.bob)
  const { rooms, person } = world.turnWorld.chatParts
  for (let number = 0; number < 33; number++)
    await rooms.create(`r${number}`, await person(`owner${number}`), { private: false })
  for (let number = 0; number < 32; number++) {
    expect((await join(`r${number}`)).ok).toBe(true)
    expect(await agent.follow(`r${number}`)).toBeUndefined()
  }
  expect((await join('r32')).told).toContain('32 rooms at most')
  expect(await agent.follow('r32')).toContain('32 rooms at most')
  agent.unfollow('r0')
  expect(await agent.follow('r32')).toBeUndefined()
  const other = await open(world.bob)
  const all = await Promise.all(Array.from({ length: 33 }, (_, number) => other.agent.follow(`r${number}`)))
  expect(all.filter((why) => why !== undefined)).toHaveLength(1)
  const third = await open(world.bob)
  const asked = ['den', ...Array.from({ length: 32 }, (_, number) => `ghost${number}`), 'r0']
  const whys = await Promise.all(asked.map((name) => third.agent.follow(name)))
  expect(whys.map((why) => why?.replace(/ghost\d+|den/, 'NAME'))).toEqual([
    ...Array.from({ length: 33 }, () => whys[0]?.replace('den', 'NAME')),
    undefined,
  ])
  // With no place left either.
  expect((await agent.follow('den'))?.replace('den', 'ghost')).toBe(await agent.follow('ghost'))
})

test('an agent is notified of changes in followed rooms without appearing in them', async () => {
  const { agent, heard } = await open(world.bob)
  expect(await agent.follow('hall')).toBeUndefined()
  expect(await agent.follow('hall')).toBeUndefined()
  await world.exec(world.ann, 'say hall hello')
  expect(heard).toEqual(['changed hall: hello'])
  expect(await presentIn('hall')).toEqual([])
  agent.unfollow('hall')
  await world.exec(world.ann, 'say hall hello again')
  expect(heard).toHaveLength(1)
})

test('an agent follows a room after a kick, but not after a ban from the room', async () => {
  const { agent, join, heard } = await open(world.bob)
  await agent.follow('hall')
  await join('hall')
  await world.exec(world.ann, 'kick hall bob')
  await world.exec(world.ann, 'say hall hello')
  expect(heard).toContainEqual(expect.stringContaining('out of hall: ann kicked you'))
  expect(heard.at(-1)).toBe('changed hall: hello')
  await world.exec(world.ann, 'ban bob --room hall')
  const before = heard.length
  await world.exec(world.ann, 'say hall without them')
  expect(heard).toHaveLength(before)
})

test('an agent is no longer notified of a private room after its person lost the membership', async () => {
  await world.exec(world.ann, 'invite den bob')
  await world.exec(world.bob, 'join den')
  const { agent, heard } = await open(world.bob)
  expect(await agent.follow('den')).toBeUndefined()
  await world.exec(world.ann, 'uninvite den bob')
  await world.exec(world.ann, 'say den without them')
  expect(heard).toEqual(['out of den: ann took you out of den'])
  expect(await agent.follow('den')).toBe(
    await agent.follow('nowhere').then((why) => why?.replace('nowhere', 'den')),
  )
})

test('a command of an agent whose answer is too long is stopped with an error', async () => {
  const { rooms, storage } = world.turnWorld.chatParts
  const hall = await rooms.anyRoom('hall' as RoomName)
  for (let number = 0; number < 15; number++)
    await hall!.record({ kind: 'message', author: 'ann', text: `${number} ${'x'.repeat(100_000)}` })
  const { agent } = await open(world.bob)
  const use = { verb: 'history', room: 'hall', flags: { json: true, n: '100' } }
  const outcome = await agent.run(use, { signal: new AbortController().signal })
  expect(outcome).toEqual({
    ok: false,
    out: '',
    told: 'the answer is longer than 1048576 characters; ask for less',
  })
  expect(await storage.chat.entries.read('hall' as RoomName, { limit: 1 })).toHaveLength(1)
})
