import { expect } from 'vitest'
import { createModel, type ModelConfig } from '../../src/models/providers.ts'
import { requestsOf } from '../../src/turns/turn-log.ts'
import { sampleConfig } from './model-request.ts'
import { startModelServer } from './model-server.ts'
import { createTurnWorld, tool, type TurnWorld } from './turn-world.ts'

/**
 * A model behind a local server, in a room with so many messages of about 340 tokens: with as many as there are if none
 * are named, a small window does not hold them.
 */
export async function servedRoom(
  backend: ModelConfig['backend'],
  change: Partial<ModelConfig> = {},
  messages = 40,
) {
  const server = await startModelServer()
  const settings = sampleConfig({
    ...{ backend, endpoint: server.endpoint, apiKey: 'key', contextWindow: 8000, maxOutput: 1000 },
    ...change,
  })
  const world = await createTurnWorld(createModel(settings), {
    settings,
    tools: [tool('Grep'), tool('Glob')],
  })
  await Promise.all(
    Array.from({ length: messages }, async (_, number) => {
      const text = `${number}: ${'the quick brown fox jumps over the lazy dog, again; '.repeat(30)}`
      await world.room.record({ kind: 'message', author: 'ann', text })
    }),
  )
  return {
    server,
    world,
    settings,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}

/** Asks, and expects an answer. Gives what was recorded of all requests of the turn. */
export async function expectAnswer(world: TurnWorld, text: string) {
  const turn = await world.start(text)
  expect(await turn.done).toMatchObject({ kind: 'reply', outcome: 'done' })
  return requestsOf((await world.chatParts.storage.models.turns.find(turn.id))!)
}
