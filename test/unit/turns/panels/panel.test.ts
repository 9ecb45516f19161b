import { expect, test } from 'vitest'
import { askSideBySide } from '../../../../src/turns/panels/side-by-side.ts'
import { PanelTokens } from '../../../../src/turns/panels/tokens.ts'
import type { AskedModel } from '../../../../src/turns/personas.ts'
import { sampleConfig } from '../../../support/model-request.ts'
import { scriptedModel } from '../../../support/scripted-model.ts'

const at = (name: string, endpoint: string): AskedModel => ({
  model: {
    settings: sampleConfig({ name, backend: 'openai-compatible', endpoint }),
    adapter: scriptedModel(),
  },
})

/** Asks the models, each of which answers when it is told to, and says who is asked at each moment. */
function createRound(models: readonly AskedModel[]) {
  const open = new Map<string, () => void>()
  const done = askSideBySide(
    models,
    async ({
      model: {
        settings: { name },
      },
    }) => {
      await new Promise<void>((resolve) => open.set(name, resolve))
      open.delete(name)
      return name
    },
  )
  return {
    done,
    asked: () => [...open.keys()],
    async answer(name: string) {
      open.get(name)!()
      for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    },
  }
}

test('two models of a panel are asked at once, and their results keep the order of models', async () => {
  const hosted = ['a', 'b', 'c'].map((name) => at(name, 'https://example.org/v1'))
  const round = createRound(hosted)
  expect(round.asked()).toEqual(['a', 'b'])
  await round.answer('b')
  expect(round.asked()).toEqual(['a', 'c'])
  await round.answer('c')
  await round.answer('a')
  expect(await round.done).toEqual(['a', 'b', 'c'])
})

test('models of one local server are asked in turn, and a hosted model at the same time', async () => {
  const local = ['a', 'b'].map((name) => at(name, 'http://localhost:8080/v1'))
  const round = createRound([...local, at('c', 'https://example.org/v1')])
  expect(round.asked()).toEqual(['a', 'c'])
  await round.answer('c')
  expect(round.asked()).toEqual(['a'])
  await round.answer('a')
  expect(round.asked()).toEqual(['b'])
  await round.answer('b')
  expect(await round.done).toEqual(['a', 'b', 'c'])
})

test('a panel request waits for tokens reserved by another, and is refused without enough', async () => {
  const tokens = new PanelTokens(100)
  const release = await tokens.reserve(60)
  const waiting = tokens.reserve(60)
  tokens.spend(30)
  release()
  const next = await waiting
  tokens.spend(60)
  next()
  await expect(tokens.reserve(11)).rejects.toThrow('may need 11 tokens, and 10 of 100 are left')
  expect(tokens.refusal).toContain('10 of 100')
})
