import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/chat/errors.ts'
import type { EntryId, RoomName, TurnId } from '../../../src/chat/entry.ts'
import type { PersonId } from '../../../src/chat/people/person.ts'
import { createTurnQueue } from '../../../src/turns/queue.ts'

const CALLED = {
  id: 'T' as TurnId,
  model: 'qwen',
  requester: 'ann',
  message: 'M' as EntryId,
  startedAt: 0,
}

/** Takes slots in one room and writes down who was let in. */
function line(turns_per_room: number, turns_queued: number) {
  const slots = createTurnQueue({ turns_per_room, turns_queued })
  const admitted: string[] = []
  return {
    admitted,
    async take(label: string, owner = label, room = 'lobby') {
      const slot = await slots.take(
        { ...CALLED, room: room as RoomName, requesterId: owner as PersonId },
        () => {},
      )
      void slot.ready.then(() => admitted.push(label))
      return slot
    },
    /** Lets the promises that are settled be seen. */
    settle: () => new Promise(setImmediate),
  }
}

describe('the slots of a room', () => {
  it('are given at once while there are some, then in the order of asking', async () => {
    const room = line(1, 8)
    const [a, b, c] = [await room.take('a'), await room.take('b'), await room.take('c')]
    await room.settle()
    expect(room.admitted).toEqual(['a'])
    a.leave()
    await room.settle()
    expect(room.admitted).toEqual(['a', 'b'])
    b.leave()
    c.leave()
    await room.settle()
    expect(room.admitted).toEqual(['a', 'b', 'c'])
  })

  it('go first to somebody who has no turn running', async () => {
    const room = line(2, 8)
    const first = await room.take('ann 1', 'ann')
    await room.take('ann 2', 'ann')
    await room.take('ann 3', 'ann')
    await room.take('bob 1', 'bob')
    first.leave()
    await room.settle()
    expect(room.admitted).toEqual(['ann 1', 'ann 2', 'bob 1'])
  })

  it('are refused with a sentence when the line is full, and again free after that', async () => {
    const room = line(1, 1)
    const first = await room.take('a')
    await room.take('b')
    await expect(room.take('c')).rejects.toThrow(Refusal)
    await expect(room.take('c')).rejects.toThrow('1 model is at work here and 1 waits;')
    first.leave()
    await room.take('c')
  })

  it('of one room do not count in another', async () => {
    const room = line(1, 0)
    await room.take('a')
    await room.take('b', 'b', 'attic')
    await room.settle()
    expect(room.admitted).toEqual(['a', 'b'])
  })

  it('can be given up while waiting, which lets nobody in twice', async () => {
    const room = line(1, 8)
    const a = await room.take('a')
    const b = await room.take('b')
    await room.take('c')
    b.giveUp()
    b.leave()
    b.leave()
    await room.settle()
    expect(room.admitted).toEqual(['a', 'b'])
    a.leave()
    a.leave()
    await room.settle()
    expect(room.admitted).toEqual(['a', 'b', 'c'])
  })

  it('are not taken by giving up when the turn runs already', async () => {
    const room = line(1, 8)
    ;(await room.take('a')).giveUp()
    await room.take('b')
    await room.settle()
    expect(room.admitted).toEqual(['a'])
  })
})
