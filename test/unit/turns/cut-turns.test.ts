import { describe, expect, it } from 'vitest'
import type { RoomName, TurnId } from '../../../src/chat/entry.ts'
import type { Room } from '../../../src/chat/room.ts'
import { InterruptedTurns } from '../../../src/turns/interrupted-turns.ts'
import { scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, type TurnWorld } from '../../support/turn-world.ts'

describe('a turn that a crash cut off', () => {
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

  it('is shown as cut off, once, and is on record as cut', async () => {
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

  it('is not called cut when its reply had been recorded', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const turn = (await begun(world)) as TurnId
    await world.room.record({ kind: 'reply', author: 'qwen', text: 'all', outcome: 'done', turn })
    await mark(world)
    expect(await world.lines()).toEqual(['reply: all'])
    expect(await world.chatParts.storage.models.turns.find(turn)).toMatchObject({ outcome: 'done' })
  })

  it('is called cut where it said something before a call only', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const turn = (await begun(world)) as TurnId
    await world.room.record({ kind: 'reply', author: 'qwen', text: 'let me look', turn })
    await mark(world)
    expect(await world.chatParts.storage.models.turns.find(turn)).toMatchObject({ outcome: 'cut' })
    expect(await world.lines()).toHaveLength(2)
  })

  it('is ended where its end could not be stored, and only then', async () => {
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

  it('has no second end where the room was told of one', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const turn = (await begun(world)) as TurnId
    const told = { kind: 'notice', author: '*', turn } as const
    await world.room.record({ ...told, level: 'info', text: '@small failed; @qwen is asked instead' })
    await world.room.record({ ...told, level: 'info', text: 'ann stopped @qwen' })
    await mark(world)
    expect(await world.lines()).toHaveLength(2)
    expect(await world.chatParts.storage.models.turns.find(turn)).toMatchObject({ outcome: 'stopped' })
  })

  it('is ended where its room is gone', async () => {
    await using world = await createTurnWorld(scriptedModel())
    const facts = { model: 'qwen', requester: 'ann', startedAt: 0 }
    await world.chatParts.storage.models.turns.begin({
      id: 'T1' as TurnId,
      room: 'gone' as RoomName,
      ...facts,
    })
    const { storage } = world.chatParts
    await interruptedIn(world, () => Promise.resolve(undefined)).endAll()
    expect(await storage.models.turns.unfinished()).toEqual([])
  })
})
