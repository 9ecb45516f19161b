import { describe, expect, it } from 'vitest'
import { WrapError } from '../../../src/prompt/ports.ts'
import { say, scriptedModel } from '../../support/scripted-model.ts'
import { createTurnWorld } from '../../support/turn-world.ts'

describe('the rows of history', () => {
  it('are counted after a turn, once, so that the next prompt reads what can fit', async () => {
    await using world = await createTurnWorld(scriptedModel(say('one'), say('two')))
    const saved: number[] = []
    const { history } = world.chatParts.storage.prompts
    const save = history.saveCounts.bind(history)
    history.saveCounts = (encoding, counts) => {
      saved.push(counts.size)
      return save(encoding, counts)
    }
    for (const text of ['a', 'b', 'c']) await world.room.record({ kind: 'message', author: 'bob', text })
    await world.ask()
    await world.ask()
    // The second turn finds its own question and the first answer uncounted, and nothing else.
    expect(saved).toEqual([3, 2])
    const rows = world.composer.snapshots.at(-1)!.history
    expect(rows.slice(0, 3).every((row) => row.tokens! > 0)).toBe(true)
  })

  it('that were never counted are all counted after the first turn that reads them', async () => {
    await using world = await createTurnWorld(scriptedModel(say('one'), say('two')))
    const texts = Array.from({ length: 130 }, (_, number) => `message ${number}`)
    for (const text of texts) await world.room.record({ kind: 'message', author: 'bob', text })
    await world.ask()
    await world.ask()
    const [first, second] = world.composer.snapshots.map((snapshot) =>
      snapshot.history.filter((row) => row.entry.author === 'bob').map((row) => row.tokens),
    )
    expect(first).toEqual(texts.map(() => undefined))
    expect(second).toEqual(texts.map(() => expect.any(Number) as number))
  })

  it('that cannot be counted do not disturb the turn', async () => {
    await using world = await createTurnWorld(scriptedModel(say('ok')))
    await world.room.record({ kind: 'message', author: 'bob', text: 'a' })
    world.composer.count = () => Promise.reject(new WrapError('process', 'the counter is gone'))
    expect((await world.ask()).text).toBe('ok')
  })
})
