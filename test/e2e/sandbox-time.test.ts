import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mark, processesWith } from '../contract/workspace/run-exam.ts'
import { createHoldingStage } from '../support/holding-stage.ts'
import { calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { ModelStage } from '../support/stage.ts'

let stage: ModelStage
beforeAll(async () => {
  stage = await createHoldingStage(3)
})
afterAll(() => stage[Symbol.asyncDispose]())

describe.skipIf(lacks('bwrap'))('a command on a server', () => {
  test.each(['Hold', 'Swarm'])(
    '%s ends at the time limit with all its children, and the room goes on meanwhile',
    async (name) => {
      const word = mark()
      stage.models.play(calls(name, { arguments: [word] }), says('done'))
      const asking = stage.as('rhea', ['ask', 'lobby', '@qwen', 'go'])
      await expect.poll(() => processesWith(word), { timeout: 20_000 }).toBeGreaterThan(0)
      expect((await stage.as('bob', ['say', 'lobby', `still here, ${name}`])).exitCode).toBe(0)
      expect((await stage.as('bob', ['history', 'lobby', '-n', '5'])).stdout).toContain(`still here, ${name}`)
      expect((await asking).stdout).toContain('done')
      expect(stage.models.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
        role: 'tool',
        content: expect.stringContaining('[stopped: it ran longer than 3s]') as string,
      })
      await expect.poll(() => processesWith(word), { timeout: 5000 }).toBe(0)
    },
  )
})
