import { createLocalBus } from '../../src/chat/local-bus.ts'
import { roomBusExam } from './room-bus-exam.ts'

roomBusExam('of one process', async () => {
  const errors: unknown[] = []
  const ignore = (): void => undefined
  const error = (facts: object): void => void errors.push('error' in facts ? facts.error : undefined)
  return {
    bus: createLocalBus({ debug: ignore, info: ignore, warn: ignore, error }),
    settle: () => Promise.resolve(),
    errors: () => errors,
    async [Symbol.asyncDispose]() {},
  }
})
