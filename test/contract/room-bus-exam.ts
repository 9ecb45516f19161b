import { beforeEach, describe, expect, test } from 'vitest'
import type { EntryId, RoomName, TurnId } from '../../src/words/entry.ts'
import type { BusEvent, RoomBus } from '../../src/chat/ports.ts'

/** A bus to be examined, and what the exam cannot know of it. */
export interface ExaminedBus extends AsyncDisposable {
  readonly bus: RoomBus
  /** Resolves once all that was published has been delivered. */
  settle(): Promise<void>
  /** The errors of listeners that were logged. */
  errors(): readonly unknown[]
}

const LOBBY = 'lobby' as RoomName
const ATTIC = 'attic' as RoomName

/** The last id of each room, in the test that runs. */
const last = new Map<RoomName, EntryId>()
let number = 0

/** The next line of a room's log. */
function said(text: string, room = LOBBY): BusEvent {
  const id = `id${String(++number).padStart(6, '0')}` as EntryId
  const after = last.get(room)
  last.set(room, id)
  const entry = { kind: 'message', id, at: 0, room, author: 'alice', text } as const
  return { type: 'entry', entry, ...(after === undefined ? {} : { after }) }
}

const textOf = (event: BusEvent): string => (event.type === 'delta' ? event.delta.text : event.entry.text)

/** What every bus must do. `start` gives one without listeners; each test gets a new one. */
export function roomBusExam(name: string, start: () => Promise<ExaminedBus>): void {
  describe(`the room bus ${name}`, () => {
    beforeEach(() => last.clear())

    test('a room bus delivers entries and reply pieces to all listeners of a room in order', async () => {
      await using examined = await start()
      const heard: BusEvent[][] = [[], []]
      for (const events of heard) examined.bus.subscribe(LOBBY, (event) => void events.push(event))
      const delta = { room: LOBBY, turn: 't1' as TurnId, model: 'guide', text: 'so far' }
      const published: readonly BusEvent[] = [said('hello'), { type: 'delta', delta }, said('bye')]
      for (const event of published) void examined.bus.publish(LOBBY, event)
      await examined.settle()
      expect(heard).toEqual([published, published])
    })

    test('a room bus keeps the order of a room even if a listener publishes during a delivery', async () => {
      await using examined = await start()
      const { bus } = examined
      const heard: string[][] = [[], []]
      bus.subscribe(LOBBY, (event) => {
        heard[0]?.push(textOf(event))
        if (textOf(event) === 'question') void bus.publish(LOBBY, said('answer'))
      })
      bus.subscribe(LOBBY, (event) => void heard[1]?.push(textOf(event)))
      void bus.publish(LOBBY, said('question'))
      await examined.settle()
      void bus.publish(LOBBY, said('thanks'))
      await examined.settle()
      expect(heard).toEqual([
        ['question', 'answer', 'thanks'],
        ['question', 'answer', 'thanks'],
      ])
    })

    test('a listener of one room can publish in another room', async () => {
      await using examined = await start()
      const { bus } = examined
      const heard: string[] = []
      bus.subscribe(ATTIC, (event) => void heard.push(textOf(event)))
      bus.subscribe(LOBBY, () => void bus.publish(ATTIC, said('echo', ATTIC)))
      void bus.publish(LOBBY, said('hello'))
      await examined.settle()
      expect(heard).toEqual(['echo'])
    })

    test('a listener that throws is logged, and other listeners get every event', async () => {
      await using examined = await start()
      const broken = new Error('broken listener')
      const heard: string[] = []
      examined.bus.subscribe(LOBBY, () => {
        throw broken
      })
      examined.bus.subscribe(LOBBY, (event) => void heard.push(textOf(event)))
      void examined.bus.publish(LOBBY, said('one'))
      void examined.bus.publish(LOBBY, said('two'))
      await examined.settle()
      expect(heard).toEqual(['one', 'two'])
      expect(examined.errors()).toEqual([broken, broken])
    })

    test('a listener is not called after its subscription ended, even during a delivery', async () => {
      await using examined = await start()
      const { bus } = examined
      const heard: string[] = []
      const hear = (who: string) => (event: BusEvent) => void heard.push(`${who} ${textOf(event)}`)
      let endLater = (): void => undefined
      const endFirst = bus.subscribe(LOBBY, (event) => {
        hear('first')(event)
        endFirst()
        endLater()
      })
      endLater = bus.subscribe(LOBBY, hear('later'))
      bus.subscribe(LOBBY, hear('last'))
      void bus.publish(LOBBY, said('one'))
      void bus.publish(LOBBY, said('two'))
      await examined.settle()
      expect(heard).toEqual(['first one', 'last one', 'last two'])
    })

    test('a listener that subscribes during a delivery gets only the next event', async () => {
      await using examined = await start()
      const { bus } = examined
      const heard: string[] = []
      let joined = false
      bus.subscribe(LOBBY, () => {
        if (!joined) bus.subscribe(LOBBY, (event) => void heard.push(textOf(event)))
        joined = true
      })
      void bus.publish(LOBBY, said('one'))
      await examined.settle()
      void bus.publish(LOBBY, said('two'))
      await examined.settle()
      expect(heard).toEqual(['two'])
    })

    test('a room bus counts repeated subscriptions of one function separately and ends each once', async () => {
      await using examined = await start()
      const { bus } = examined
      const heard: string[] = []
      const hear = (event: BusEvent): void => void heard.push(textOf(event))
      const end = bus.subscribe(LOBBY, hear)
      end()
      bus.subscribe(LOBBY, hear)
      bus.subscribe(LOBBY, hear)
      end()
      void bus.publish(LOBBY, said('twice'))
      await examined.settle()
      expect(heard).toEqual(['twice', 'twice'])
    })

    test.each([10, 10_000])(
      'a room bus with %i rooms calls only the listeners of the published room',
      async (count) => {
        await using examined = await start()
        const { bus } = examined
        const calls = new Map<string, number>()
        const rooms = Array.from({ length: count }, (_, number) => `room-${number}` as RoomName)
        for (const room of rooms) bus.subscribe(room, () => calls.set(room, (calls.get(room) ?? 0) + 1))
        const [first = ATTIC] = rooms
        for (const text of ['one', 'two', 'three']) void bus.publish(first, said(text, first))
        void bus.publish(ATTIC, said('nobody listens here', ATTIC))
        await examined.settle()
        expect([...calls]).toEqual([['room-0', 3]])
      },
    )
  })
}
