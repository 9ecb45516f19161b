import { createLocalBus } from '../../src/chat/local-bus.ts'
import { createRoomFeed } from '../../src/cluster/room-feed.ts'
import type { ServerId } from '../../src/cluster/stores.ts'
import { DEAF_WIRE } from '../support/deaf-wire.ts'
import { roomBusExam } from './room-bus-exam.ts'

function errorLog() {
  const errors: unknown[] = []
  const ignore = (): void => undefined
  const error = (facts: object): void => void errors.push('error' in facts ? facts.error : undefined)
  return { errors: () => errors, log: { debug: ignore, info: ignore, warn: ignore, error } }
}

roomBusExam('of one process', async () => {
  const { errors, log } = errorLog()
  return {
    bus: createLocalBus(log),
    settle: () => Promise.resolve(),
    errors,
    async [Symbol.asyncDispose]() {},
  }
})

roomBusExam('of several servers, on one of them', async () => {
  const { errors, log } = errorLog()
  const bus = createRoomFeed({
    server: 'one' as ServerId,
    wire: DEAF_WIRE,
    entries: { read: async () => [] },
    newestIn: async () => new Map(),
    log,
  })
  return {
    bus,
    settle: () => new Promise((settled) => setImmediate(settled)),
    errors,
    async [Symbol.asyncDispose]() {},
  }
})
