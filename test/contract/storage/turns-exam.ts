import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { EntryId, RoomName, TurnId } from '../../../src/words/entry.ts'
import type { PersonId } from '../../../src/words/person.ts'
import type { TurnRecord } from '../../../src/turns/ports.ts'
import { lobby, refused } from './cast.ts'

/** What a turns store must do; `store` gives that of the running test. */
export function turnsExam(store: () => Storage): void {
  test('a turn is stored when it begins, updated when it finishes, and found', async () => {
    const change = {
      endedAt: 200,
      outcome: 'done',
      usage: { input: 5, output: 7 },
      prompt: { encoding: 'o200k_base', system: '"\u2028' } as TurnRecord['prompt'],
    }
    await store().models.turns.begin(turn('T1'))
    expect(await store().models.turns.find('T1')).toEqual(turn('T1'))
    await store().models.turns.finish('T1', change)
    await store().models.turns.finish('T1', { error: 'late' })
    expect(await store().models.turns.find('T1')).toEqual({ ...turn('T1'), ...change, error: 'late' })
    await store().models.turns.finish('T2', change)
    expect(await store().models.turns.find('T2')).toBeUndefined()
    await refused(store().models.turns.begin(turn('T1')))
  })

  test('a turn has its added steps in order only if it is read alone', async () => {
    const steps: NonNullable<TurnRecord['steps']> = [
      {
        messages: [
          { role: 'assistant', text: '\u0000"', calls: [{ id: 'a', name: 'Grep', arguments: '{' }] },
        ],
      },
      { messages: [], prompt: { system: 'again' } as TurnRecord['prompt'], tools: [] },
    ]
    await store().models.turns.begin(turn('T1'))
    await store().models.turns.begin(turn('T2'))
    for (const step of steps) await store().models.turns.addStep('T1', step)
    await store().models.turns.addStep('T2', steps[1]!)
    await store().models.turns.finish('T2', { endedAt: 1 })
    expect(await store().models.turns.find('T1')).toEqual({ ...turn('T1'), steps })
    expect(await store().models.turns.find('T2')).toEqual({ ...turn('T2'), endedAt: 1, steps: [steps[1]] })
    expect(await store().models.turns.unfinished()).toEqual([turn('T1')])
    await refused(store().models.turns.addStep('T3', steps[0]!))
  })

  test('long requests are returned unchanged and only parts that no other has add bytes', async () => {
    const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at} 漢 \\n \u0000 "é`)
    const sent = [0, 2, 2].map((first) => ({ system: 's', context: lines.slice(first).join('\n') }))
    const added: number[] = []
    for (const [at, prompt] of sent.entries()) {
      await store().models.turns.begin(turn(`T${at}`))
      added.push(await store().models.turns.finish(`T${at}`, { prompt: prompt as TurnRecord['prompt'] }))
    }
    const [first = 0, ...others] = added
    expect(first).toBeGreaterThan(4_000)
    expect(others).toEqual([expect.toSatisfy((bytes: number) => bytes > 0 && bytes < first / 4), 0])
    for (const [at, prompt] of sent.entries())
      expect(JSON.stringify((await store().models.turns.find(`T${at}`))?.prompt)).toBe(JSON.stringify(prompt))
  })

  test('unfinished turns are listed, oldest first', async () => {
    await store().models.turns.begin(turn('T2', { startedAt: 200 }))
    await store().models.turns.begin(turn('T1'))
    await store().models.turns.begin(turn('T3', { startedAt: 300 }))
    await store().models.turns.finish('T2', { endedAt: 250, outcome: 'failed' })
    expect((await store().models.turns.unfinished()).map((found) => found.id)).toEqual(['T1', 'T3'])
  })

  test('the last started turn of a room is found with its steps, without sub-turns', async () => {
    await store().models.turns.begin(turn('T1', { startedAt: 300 }))
    await store().models.turns.begin(turn('T3', { startedAt: 400, parent: 'T1' }))
    await store().models.turns.begin(turn('T2', { startedAt: 500, room: 'den' }))
    await store().models.turns.begin(turn('T0'))
    await store().models.turns.addStep('T1', { messages: [] })
    expect(await store().models.turns.last('lobby')).toEqual({
      ...turn('T1', { startedAt: 300 }),
      steps: [{ messages: [] }],
    })
    expect(await store().models.turns.last('hall')).toBeUndefined()
    expect(await store().models.turns.find('T3')).toMatchObject({ parent: 'T1' })
  })

  test('the last turn of a model before another turn is found', async () => {
    const { turns } = store().models
    await turns.begin(turn('T1', { startedAt: 100 }))
    await turns.begin(turn('T2', { startedAt: 200, model: 'other' }))
    await turns.begin(turn('T3', { startedAt: 200, room: 'den' }))
    await turns.begin(turn('T4', { startedAt: 300 }))
    await turns.begin(turn('T5', { startedAt: 300 }))
    const before = async (id: string) => (await turns.last('lobby', await turns.find(id)))?.id
    expect(await before('T5')).toBe('T4')
    expect(await before('T4')).toBe('T1')
    expect(await before('T1')).toBeUndefined()
  })

  test('turns of one person in a room are listed under any name, newest first', async () => {
    const message = 'M1' as EntryId
    const person = 'P1' as PersonId
    const asker = { message, person }
    await store().models.turns.begin(turn('T1', { startedAt: 300, ...asker }))
    await store().models.turns.begin(turn('T2', { startedAt: 200, ...asker, requester: 'alice-before' }))
    await store().models.turns.begin(turn('T3', { startedAt: 400, ...asker, room: 'den' }))
    await store().models.turns.begin(turn('T4', { startedAt: 400, ...asker, person: 'P2' as PersonId }))
    await store().models.turns.begin(turn('T5', { startedAt: 400, person }))
    await store().models.turns.begin(turn('T6', { startedAt: 400, message }))
    await store().models.turns.finish('T2', { outcome: 'failed', prompt: {} as TurnRecord['prompt'] })
    const asked = (limit: number) => store().models.turns.asked(lobby, person, limit)
    expect(await asked(9)).toEqual([
      turn('T1', { startedAt: 300, ...asker }),
      turn('T2', { startedAt: 200, ...asker, requester: 'alice-before', outcome: 'failed' }),
    ])
    expect((await asked(1)).map(({ id }) => id)).toEqual(['T1'])
    expect(await asked(0)).toEqual([])
    expect(await store().models.turns.find('T2')).toMatchObject({ message })
  })
}

type TurnFacts = Partial<Omit<TurnRecord, 'room'>> & { readonly room?: string }

const turn = (id: string, { room = 'lobby', ...more }: TurnFacts = {}): TurnRecord => ({
  id: id as TurnId,
  room: room as RoomName,
  model: 'qwen',
  requester: 'alice',
  startedAt: 100,
  ...more,
})
