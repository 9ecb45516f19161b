import { describe, expect, it } from 'vitest'
import { PROVIDERS } from '../../../src/adapters/models/index.ts'
import type { JsonSchema } from '../../../src/lib/json.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld, tool } from '../../support/turn-world.ts'

const withParameter = (name: string): JsonSchema => ({
  type: 'object',
  properties: { fine: { type: 'string' }, [name]: { type: 'string' } },
})
const nested = { type: 'object', properties: { all: { type: 'array', items: withParameter('@type') } } }
const tools = [
  tool('spaces', undefined, { schema: withParameter('a b é') }),
  tool('empty', undefined, { schema: withParameter('') }),
  tool('dollar', undefined, { schema: withParameter('$ref') }),
  tool('long', undefined, { schema: withParameter('x'.repeat(100)) }),
  tool('nested', undefined, { schema: nested }),
  tool('fine', undefined, { schema: withParameter(`a.b-c_${'x'.repeat(58)}`) }),
]
const { framing } = PROVIDERS.anthropic

describe('a parameter whose name the provider refuses', () => {
  it('hides its one tool from models of that provider, with the reason', async () => {
    const model = scriptedModel(say('ok'))
    await using world = await createTurnWorld(model, { tools, settings: { framing } })
    await world.ask()
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(['fine'])
    const list = await world.turns.scope({ room: world.room, person: world.ann })
    expect(list.tools.map((one) => one.reason)).toEqual([
      'model: its provider takes no parameter called "a b é"',
      'model: its provider takes no parameter called ""',
      'model: its provider takes no parameter called "$ref"',
      `model: its provider takes no parameter called "${'x'.repeat(80)}…"`,
      'model: its provider takes no parameter called "@type"',
      '',
    ])
  })
})
