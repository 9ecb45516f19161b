import type { RoomName } from '../../chat/entry.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { HookName } from './hook.ts'

/** Calls of hooks that may wait in one room. More are left out, so that a slow hook holds neither memory nor the room. */
const MAX_WAITING = 64

interface Call {
  readonly name: HookName
  readonly argument: JsonObject
}

interface Queue {
  readonly waiting: Call[]
  /** Resolves when all that waits was run. */
  drained: Promise<void>
  /** Whether it was said that calls are left out. */
  isFull: boolean
}

/** Calls of hooks that nobody waits for: one at a time in each room, in the order in which they were added. */
export interface RoomQueues {
  add(room: RoomName, name: HookName, argument: JsonObject): void
  /** Forgets what waits, and resolves when what runs has ended. */
  close(): Promise<void>
}

/** `run` never rejects. `full` is called once each time that a room's queue has become full. */
export function createRoomQueues(
  run: (name: HookName, room: RoomName, argument: JsonObject) => Promise<void>,
  full: (room: RoomName, name: HookName) => void,
): RoomQueues {
  const queues = new Map<RoomName, Queue>()
  let isClosed = false

  async function drain(room: RoomName, queue: Queue): Promise<void> {
    for (let call = queue.waiting.shift(); call; call = queue.waiting.shift())
      await run(call.name, room, call.argument)
    queues.delete(room)
  }

  function open(room: RoomName): Queue {
    const queue: Queue = { waiting: [], drained: Promise.resolve(), isFull: false }
    queues.set(room, queue)
    // After the first call was added.
    queue.drained = Promise.resolve().then(() => drain(room, queue))
    return queue
  }

  return {
    add(room, name, argument) {
      if (isClosed) return
      const queue = queues.get(room) ?? open(room)
      if (queue.waiting.length < MAX_WAITING) {
        queue.waiting.push({ name, argument })
        queue.isFull = false
        return
      }
      if (!queue.isFull) full(room, name)
      queue.isFull = true
    },
    async close() {
      isClosed = true
      const open = [...queues.values()]
      for (const { waiting } of open) waiting.length = 0
      await Promise.all(open.map(({ drained }) => drained))
    },
  }
}
