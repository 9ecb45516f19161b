import { expect, test } from 'vitest'
import { BREAK } from '../../../../src/wrap/prompt.ts'
import { layerTexts, sharesOf } from '../../../../src/commands/pages/prompt-report.ts'
import { createCommandWorld } from '../../../support/commands/command-world.ts'
import { samplePrompt } from '../../../support/model-request.ts'
import { tool } from '../../../support/turn-world.ts'

test('the joined texts of the prompt layers equal the text that is sent', async () => {
  await using world = await createCommandWorld(tool('Grep'))
  const { rooms } = world.turnWorld.chatParts
  const room = await rooms.get('hall', world.ann)
  await room.record({ kind: 'message', author: 'ann', text: 'two lines\n\nand a break between' })
  const prompt = await world.turnWorld.turns.prompt({ room, person: world.ann, model: 'qwen' })
  const texts = layerTexts(prompt)
  for (const placement of ['system', 'context'] as const) {
    const own = prompt.layers.filter((layer) => layer.placement === placement)
    const joined = own.flatMap((layer) => texts?.get(layer) || []).join(BREAK)
    expect(joined).toBe(prompt[placement])
    expect(joined).not.toBe('')
  }
  expect([...(texts ?? [])].find(([{ name }]) => name === 'history')?.[1]).toContain('two lines')
})

test('a prompt without fitting layer lengths gives no layer texts', () => {
  const old = samplePrompt()
  expect(layerTexts(old)).toBeUndefined()
  const [system, history] = old.layers
  const lengths = (a: number, b: number) => [
    { ...system!, length: a },
    { ...history!, length: b },
  ]
  expect(layerTexts({ ...old, layers: lengths(old.system.length, 3) })).toBeUndefined()
  expect(layerTexts({ ...old, layers: lengths(old.system.length, old.context.length) })?.size).toBe(2)
})

test('the shares of a prompt add up to its layers, message and framing', async () => {
  await using world = await createCommandWorld(tool('Grep'))
  const room = await world.turnWorld.chatParts.rooms.get('hall', world.ann)
  const prompt = await world.turnWorld.turns.prompt({ room, person: world.ann, model: 'qwen' })
  const shares = sharesOf(prompt)
  const sum = (tokens: readonly number[]): number => tokens.reduce((all, one) => all + one, 0)
  const { message, framing, tools } = prompt.budget
  expect(sum(shares.map(({ tokens }) => tokens))).toBe(
    sum(prompt.layers.map(({ tokens }) => tokens)) + message + framing,
  )
  expect(shares.find(({ isTools }) => isTools)?.tokens).toBe(tools)
})
