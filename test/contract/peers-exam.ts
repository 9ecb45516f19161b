import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EntryId, RoomName, TurnId } from '../../src/words/entry.ts'
import { Refusal } from '../../src/words/errors.ts'
import type { Peers } from '../../src/chat/peers.ts'
import type { PersonId } from '../../src/words/person.ts'
import { takeTurnSlot } from '../../src/turns/queue.ts'
import { alice, lobby } from './storage/cast.ts'

/** The peers of a server that has a lobby, and sees no other server. */
export interface ExaminedPeers extends AsyncDisposable {
  readonly peers: Peers
}

let count = 0

/** Takes slots in one room and writes down who was let in. */
function queueIn({ slots }: Peers, turns_per_room: number, turns_queued: number) {
  const admitted: string[] = []
  const own = `room-${++count}`
  return {
    admitted,
    async take(label: string, owner = label, room = own) {
      const turn = {
        ...{ id: `T${++count}` as TurnId, room: room as RoomName, model: 'qwen', requester: owner },
        ...{ requesterId: owner as PersonId, message: 'M' as EntryId, startedAt: 0 },
      }
      const slot = await takeTurnSlot(slots, turn, { turns_per_room, turns_queued }, () => {})
      void slot.ready.then(() => admitted.push(label))
      return slot
    },
    /** Resolves when so many were let in. */
    until: (number: number) => expect.poll(() => admitted, { timeout: 20_000 }).toHaveLength(number),
  }
}

/** What every `Peers` must do on a server that sees no other. */
export function peersExam(name: string, start: () => Promise<ExaminedPeers>): void {
  describe(`the peers ${name}`, () => {
    let examined: ExaminedPeers
    let peers: Peers
    beforeAll(async () => {
      examined = await start()
      peers = examined.peers
    })
    afterAll(async () => await examined?.[Symbol.asyncDispose]())

    test('a server without others announces presence changes and sees no other people', async () => {
      expect(await peers.entered(lobby, alice)).not.toBe('none')
      expect([peers.peopleIn(lobby), peers.rooms(), peers.find(alice.id)]).toEqual([[], [], undefined])
      expect(peers.peopleIn(lobby)).toBe(peers.peopleIn(lobby))
      expect([peers.findGuest('alice'), peers.serversOf(`person ${alice.id}`)]).toEqual([undefined, 1])
      expect(await peers.left(lobby, alice)).not.toBe('none')
    })

    test('a broadcast to no servers resolves', async () => {
      await peers.broadcast('invited', { person: alice.id })
      await peers.upToDate()
    })

    test('a room is closed and opened again', async () => {
      const den = 'den' as RoomName
      expect(await peers.closeRoom(den, 'ann')).toBe(true)
      await peers.openRoom(den)
    })

    describe('slots of a room', () => {
      test('slots of a room are given while there are free ones, then in the order of requests', async () => {
        const room = queueIn(peers, 1, 8)
        const [a, b, c] = [await room.take('a'), await room.take('b'), await room.take('c')]
        await room.until(1)
        await a.leave()
        await room.until(2)
        await b.leave()
        await room.until(3)
        await c.leave()
        expect(room.admitted).toEqual(['a', 'b', 'c'])
      })

      test('a free slot of a room goes first to a person without a running turn', async () => {
        const room = queueIn(peers, 2, 8)
        const first = await room.take('ann 1', 'ann')
        await room.take('ann 2', 'ann')
        await room.take('ann 3', 'ann')
        await room.take('bob 1', 'bob')
        await first.leave()
        await room.until(3)
        expect(room.admitted).toEqual(['ann 1', 'ann 2', 'bob 1'])
      })

      test('a slot is refused if the queue of the room is full, and available again after one was released', async () => {
        const room = queueIn(peers, 1, 1)
        const first = await room.take('a')
        await room.take('b')
        await expect(room.take('c')).rejects.toThrow(Refusal)
        await expect(room.take('c')).rejects.toThrow('1 model is at work here and 1 waits;')
        await first.leave()
        await room.take('c')
      })

      test('slots of one room do not count in another room', async () => {
        const room = queueIn(peers, 1, 0)
        await room.take('a')
        await room.take('b', 'b', `attic-${count}`)
        await room.until(2)
        expect(peers.slots.others('turn')).toEqual([])
      })

      test('a waiting slot that is given up does not free the running slot', async () => {
        const room = queueIn(peers, 1, 8)
        const a = await room.take('a')
        const b = await room.take('b')
        await room.take('c')
        b.giveUp()
        await b.leave()
        await b.leave()
        await room.until(2)
        expect(room.admitted).toEqual(['a', 'b'])
        await a.leave()
        await a.leave()
        await room.until(3)
        expect(room.admitted).toEqual(['a', 'b', 'c'])
      })

      test('a running slot is not released by giving up', async () => {
        const room = queueIn(peers, 1, 8)
        const a = await room.take('a')
        a.giveUp()
        await room.take('b')
        await room.until(1)
        expect(room.admitted).toEqual(['a'])
      })
    })

    test('questions of a room are numbered in sequence, and a number is never reused', async () => {
      const { questions } = peers
      const asked = { room: lobby, person: alice.id, asked: { tool: 'Bash' } }
      const open = (mayOpen = true) =>
        questions.open(
          asked,
          () => mayOpen,
          () => {},
        )
      const place = (number: number) => ({ room: lobby, number })
      expect([await open(), await open()]).toEqual([1, 2])
      expect(await open(false)).toEqual({ open: 2, own: 2 })
      expect([await questions.close(place(2)), await questions.close(place(2))]).toEqual(['closed', 'gone'])
      expect(await open()).toBe(3)
      expect([questions.others(lobby), await questions.answer(place(9), { verdict: 'once' })]).toEqual([
        [],
        false,
      ])
    })
  })
}
