import { describe, expect, it } from 'vitest'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { anotherModel, createTurnWorld, SECRET_KEY } from '../../support/turn-world.ts'

describe('the list of models', () => {
  it('has what each has spent, and no secret', async () => {
    await using world = await createTurnWorld(scriptedModel(say('a', 'b')), {
      more: [anotherModel('llama'), anotherModel('off', { enabled: false })],
    })
    await world.ask()
    const models = await world.turns.models(world.ann)
    expect(models).toMatchObject([
      { name: 'qwen', enabled: true, turns: 1, input: 10, output: 2 },
      { name: 'llama', enabled: true, turns: 0, input: 0, output: 0 },
      { name: 'off', enabled: false },
    ])
    expect(JSON.stringify(models)).not.toContain(SECRET_KEY)
  })
})
