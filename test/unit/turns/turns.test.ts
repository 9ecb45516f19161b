import { expect, it } from 'vitest'
import { Refusal, StorageError } from '../../../src/words/errors.ts'
import { ok } from '../../../src/tools/results/result.ts'
import { call, hangs, say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, tool, type TurnWorld } from '../../support/turn-world.ts'
import type { RoomName, TurnId } from '../../../src/words/entry.ts'
import type { Room } from '../../../src/chat/room.ts'
import { InterruptedTurns } from '../../../src/turns/interrupted-turns.ts'

it('a turn of an unknown or disabled model is refused', async () => {
  await using world = await createTurnWorld(scriptedModel(), {
    more: [anotherModel('off', { enabled: false })],
  })
  for (const model of ['nobody', 'off', '__proto__']) {
    await expect(world.start('hi', { model })).rejects.toThrow(Refusal)
    await expect(world.start('hi', { model })).rejects.toThrow(
      `there is no model called @${model}; see /models`,
    )
  }
  expect(world.turns.names()).toEqual(['qwen'])
})

it('a turn waits for a free place, is refused if the queue is full, and starts when another ends', async () => {
  const model = scriptedModel(hangs(), say('second'))
  await using world = await createTurnWorld(model, { limits: { turns_per_room: 1, turns_queued: 1 } })
  const first = await world.start()
  expect(first.doing(), 'it never waited').toBe('thinking')
  await model.arrived(1)
  const second = await world.start()
  expect([first.doing(), second.doing()]).toEqual(['thinking', 'waiting'])
  expect(world.turns.running(world.room.name)).toEqual([first, second])
  await expect(world.start()).rejects.toThrow('1 model is at work here and 1 waits;')
  first.cancel()
  expect(await second.done).toMatchObject({ kind: 'reply', text: 'second' })
  expect(world.turns.running(world.room.name)).toEqual([])
})

it('a turn that is stopped while it waits sends no request', async () => {
  const model = scriptedModel(hangs())
  await using world = await createTurnWorld(model, { limits: { turns_per_room: 1 } })
  const first = await world.start()
  await model.arrived(1)
  const second = await world.start()
  second.cancel('ann stopped @qwen')
  expect((await second.done).text).toBe('ann stopped @qwen')
  expect(model.requests).toHaveLength(1)
  first.cancel()
  await first.done
})

it('turns of different models run at the same time', async () => {
  const model = scriptedModel(hangs())
  await using world = await createTurnWorld(model, { more: [anotherModel('llama')] })
  const slow = await world.start()
  await model.arrived(1)
  const quick = await world.start('hi', { model: 'llama' })
  expect((await quick.done).text).toBe('I am llama')
  expect(world.turns.running(world.room.name)).toEqual([slow])
})

const decide = (
  { chatParts: { sanctions, nextId }, ann }: TurnWorld,
  kind: 'ban' | 'mute',
  room: TurnWorld['room']['name'] | null,
): Promise<void> =>
  sanctions.put({
    ...{ id: nextId(), kind, room, who: ann.name, people: [ann.id], keys: [], network: null },
    ...{ reason: '', by: 'rhea', at: 0, until: null },
  })

it('a ban stops the turns of the banned person and no others', async () => {
  const model = scriptedModel(hangs(), hangs())
  await using world = await createTurnWorld(model)
  const bob = await world.chatParts.person('bob')
  const [his, hers] = [await world.start('hello', { by: bob }), await world.start()]
  await model.arrived(2)
  await decide(world, 'ban', null)
  await world.turns.stopForbidden()
  expect((await hers.done).text).toBe('@qwen was stopped: ann was banned')
  expect(world.turns.running()).toEqual([his])
  his.cancel()
  await his.done
})

it('a turn that starts just after its requester was muted is stopped', async () => {
  await using world = await createTurnWorld(scriptedModel(say('too late')))
  await decide(world, 'mute', world.room.name)
  const { room, ann } = world
  const message = await room.record({ kind: 'message', author: 'ann', text: '@qwen hello' })
  // It was asked whether she may speak just before.
  const before = { ...room, needVoice() {} }
  const turn = await world.turns.start({ room: before, requester: ann, model: 'qwen', message })
  expect((await turn.done).text).toBe('@qwen was stopped: ann was muted')
})

it('a server that stops ends all running and waiting turns with a notice, and starts no more', async () => {
  const model = scriptedModel(hangs('Once'))
  await using world = await createTurnWorld(model, { limits: { turns_per_room: 1 } })
  const turns = [await world.start(), await world.start()]
  await model.arrived(1)
  await world.turns[Symbol.asyncDispose]()
  expect(await world.chatParts.storage.models.turns.unfinished()).toEqual([])
  const notices = (await world.log()).filter((entry) => entry.kind === 'notice')
  expect(notices.map((entry) => entry.text)).toEqual(
    turns.map(() => '@qwen was stopped: the server is stopping'),
  )
  await expect(world.start()).rejects.toThrow('the server is stopping')
})

const full = new StorageError('full', 'the disk is full: nothing was stored')

it('a turn is refused if its start cannot be stored, and no request is sent', async () => {
  const model = scriptedModel(say('ok'))
  let broken = true
  await using world = await createTurnWorld(model, {
    withTurns: (turns) => ({ begin: (turn) => (broken ? Promise.reject(full) : turns.begin(turn)) }),
  })
  await expect(world.start()).rejects.toBe(full)
  expect(world.turns.running(world.room.name)).toEqual([])
  expect(model.requests).toEqual([])
  broken = false
  expect((await world.ask()).text).toBe('ok')
})

it('a turn ends before any tool runs if its prompt cannot be stored', async () => {
  let runs = 0
  const grep = tool('Grep', () => ok(`${(runs += 1)}`))
  await using world = await createTurnWorld(scriptedModel(call(['Grep', {}])), {
    tools: [grep],
    withTurns: (turns) => ({
      finish: (id, change) => (change.prompt ? Promise.reject(full) : turns.finish(id, change)),
    }),
  })
  expect((await world.ask()).text).toBe("@qwen's turn ended: the disk is full: nothing was stored")
  expect(runs).toBe(0)
})

it('a turn ends if a call cannot be logged, and the tool does not run', async () => {
  let runs = 0
  const grep = tool('Grep', () => ok(`${(runs += 1)}`))
  await using world = await createTurnWorld(scriptedModel(call(['Grep', {}])), { tools: [grep] })
  const { entries } = world.chatParts.storage.chat
  const append = entries.append.bind(entries)
  entries.append = (entry) => (entry.kind === 'tool_call' ? Promise.reject(full) : append(entry))
  expect(await world.ask()).toMatchObject({
    kind: 'notice',
    level: 'error',
    text: "@qwen's turn ended: the disk is full: nothing was stored",
  })
  expect(runs).toBe(0)
})

it('a turn whose end cannot be stored is rejected, and the next turn works', async () => {
  await using world = await createTurnWorld(scriptedModel(say('lost'), say('kept')))
  const { entries } = world.chatParts.storage.chat
  const append = entries.append.bind(entries)
  const turn = await world.start()
  entries.append = () => Promise.reject(full)
  await expect(turn.done).rejects.toBe(full)
  expect(world.chatParts.log.lines).toContain('a turn could not be recorded')
  entries.append = append
  expect((await world.ask()).text).toBe('kept')
})

async function begun(world: TurnWorld): Promise<string> {
  const id = world.chatParts.nextId() as TurnId
  const facts = { model: 'qwen', requester: 'ann', startedAt: 0 }
  await world.chatParts.storage.models.turns.begin({ id, room: world.room.name, ...facts })
  return id
}

const interruptedIn = (
  { chatParts: { storage, rooms, clock, log } }: TurnWorld,
  room: (name: RoomName) => Promise<Room | undefined> = (name) => rooms.anyRoom(name),
): InterruptedTurns =>
  new InterruptedTurns({
    ...{ turns: storage.models.turns, entries: storage.chat.entries, clock, log },
    ...{ room, isShared: true },
  })

const mark = (world: TurnWorld): Promise<void> => interruptedIn(world).endAll()

it('a turn interrupted by a crash gets one notice and the outcome cut', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const id = await begun(world)
  await mark(world)
  await mark(world)
  expect(await world.log()).toMatchObject([
    {
      kind: 'notice',
      level: 'error',
      turn: id,
      text: expect.stringMatching(/^@qwen's answer to ann was cut off/),
    },
  ])
  expect(await world.chatParts.storage.models.turns.find(id)).toMatchObject({ outcome: 'cut' })
})

it('an interrupted turn whose reply was recorded has the outcome done', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const turn = (await begun(world)) as TurnId
  await world.room.record({ kind: 'reply', author: 'qwen', text: 'all', outcome: 'done', turn })
  await mark(world)
  expect(await world.lines()).toEqual(['reply: all'])
  expect(await world.chatParts.storage.models.turns.find(turn)).toMatchObject({ outcome: 'done' })
})

it('an interrupted turn that recorded only text before a call has the outcome cut', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const turn = (await begun(world)) as TurnId
  await world.room.record({ kind: 'reply', author: 'qwen', text: 'let me look', turn })
  await mark(world)
  expect(await world.chatParts.storage.models.turns.find(turn)).toMatchObject({ outcome: 'cut' })
  expect(await world.lines()).toHaveLength(2)
})

it('a turn whose end was not stored is ended once, and other unfinished turns are not affected', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const { storage } = world.chatParts
  const interrupted = interruptedIn(world)
  const [lost, other] = [await begun(world), await begun(world)]
  for (let times = 0; times < 2; times++) await interrupted.endLost(lost)
  await interrupted.endLost('not stored')
  expect(await world.lines()).toEqual([
    "notice: @qwen's answer to ann was cut off: its end could not be stored; ask again",
  ])
  expect((await storage.models.turns.unfinished()).map(({ id }) => id)).toEqual([other])
})

it('an interrupted turn whose stop was recorded gets no second notice', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const turn = (await begun(world)) as TurnId
  const told = { kind: 'notice', author: '*', turn } as const
  await world.room.record({ ...told, level: 'info', text: '@small failed; @qwen is asked instead' })
  await world.room.record({ ...told, level: 'info', text: 'ann stopped @qwen' })
  await mark(world)
  expect(await world.lines()).toHaveLength(2)
  expect(await world.chatParts.storage.models.turns.find(turn)).toMatchObject({ outcome: 'stopped' })
})

it('an interrupted turn is ended if its room does not exist any more', async () => {
  await using world = await createTurnWorld(scriptedModel())
  const facts = { model: 'qwen', requester: 'ann', startedAt: 0 }
  await world.chatParts.storage.models.turns.begin({ id: 'T1' as TurnId, room: 'gone' as RoomName, ...facts })
  const { storage } = world.chatParts
  await interruptedIn(world, () => Promise.resolve(undefined)).endAll()
  expect(await storage.models.turns.unfinished()).toEqual([])
})
