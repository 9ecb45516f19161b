import { expect, test } from 'vitest'
import type { Storage } from '../../../src/adapters/storage/storage.ts'
import type { RoomName, TurnId } from '../../../src/chat/entry.ts'
import type { TurnRecord } from '../../../src/turns/ports.ts'
import { refused } from './cast.ts'

/** What a turns store must do; `store` gives the one of the running test. */
export function turnsExam(store: () => Storage): void {
  test('are begun, finished with what is known, and found', async () => {
    const change = {
      endedAt: 200,
      outcome: 'done',
      usage: { input: 5, output: 7 },
      prompt: { encoding: 'o200k_base', system: '"\u2028' } as TurnRecord['prompt'],
    }
    await store().turns.begin(turn('T1'))
    expect(await store().turns.find('T1')).toEqual(turn('T1'))
    await store().turns.finish('T1', change)
    await store().turns.finish('T1', { error: 'late' })
    expect(await store().turns.find('T1')).toEqual({ ...turn('T1'), ...change, error: 'late' })
    await store().turns.finish('T2', change)
    expect(await store().turns.find('T2')).toBeUndefined()
    await refused(store().turns.begin(turn('T1')))
  })

  test('have the steps that were added to them, in order, and only where one turn is asked for', async () => {
    const steps: NonNullable<TurnRecord['steps']> = [
      {
        messages: [
          { role: 'assistant', text: '\u0000"', calls: [{ id: 'a', name: 'Grep', arguments: '{' }] },
        ],
      },
      { messages: [], prompt: { system: 'again' } as TurnRecord['prompt'], tools: [] },
    ]
    await store().turns.begin(turn('T1'))
    await store().turns.begin(turn('T2'))
    for (const step of steps) await store().turns.addStep('T1', step)
    await store().turns.addStep('T2', steps[1]!)
    await store().turns.finish('T2', { endedAt: 1 })
    expect(await store().turns.find('T1')).toEqual({ ...turn('T1'), steps })
    expect(await store().turns.find('T2')).toEqual({ ...turn('T2'), endedAt: 1, steps: [steps[1]] })
    expect(await store().turns.unfinished()).toEqual([turn('T1')])
    await refused(store().turns.addStep('T3', steps[0]!))
  })

  test('that were never finished are known, oldest first', async () => {
    await store().turns.begin(turn('T2', { startedAt: 200 }))
    await store().turns.begin(turn('T1'))
    await store().turns.begin(turn('T3', { startedAt: 300 }))
    await store().turns.finish('T2', { endedAt: 250, outcome: 'failed' })
    expect((await store().turns.unfinished()).map((found) => found.id)).toEqual(['T1', 'T3'])
  })

  test('add up by model, the model used last first, since a time and in a room', async () => {
    const usage = { input: 10, cached: 4, output: 1 }
    await store().turns.begin(turn('T1', { usage, startedAt: 1 }))
    await store().turns.begin(turn('T2', { usage, startedAt: 100 }))
    await store().turns.begin(turn('T3', { usage, startedAt: 200, room: 'den' }))
    await store().turns.begin(turn('T4', { startedAt: 300, model: 'guide' }))
    const qwen = { model: 'qwen', turns: 2, input: 20, cached: 8, output: 2 }
    const guide = { model: 'guide', turns: 1, input: 0, cached: 0, output: 0 }
    expect(await store().turns.usage({ since: 100 })).toEqual([guide, qwen])
    expect(await store().turns.usage({ since: 0, room: 'den' })).toEqual([
      { ...qwen, turns: 1, input: 10, cached: 4, output: 1 },
    ])
    expect(await store().turns.usage({ since: 301 })).toEqual([])
  })

  test('tell what each that used anything used, after a time, by requester and by room, oldest first', async () => {
    const usage = { input: 10, output: 1 }
    await store().turns.begin(turn('T3', { usage, startedAt: 300 }))
    await store().turns.begin(turn('T1', { usage, startedAt: 100 }))
    await store().turns.begin(turn('T2', { usage: { input: 2, output: 0 }, startedAt: 200, room: 'den' }))
    await store().turns.begin(turn('T4', { usage, startedAt: 150, requester: 'bob' }))
    await store().turns.begin(turn('T5', { startedAt: 400 }))
    await store().turns.begin(turn('T6', { usage: { input: 0, output: 0 }, startedAt: 400 }))
    const [second, third] = [
      { startedAt: 200, tokens: 2 },
      { startedAt: 300, tokens: 11 },
    ]
    expect(await store().turns.spending({ requester: 'alice' }, 100)).toEqual([second, third])
    expect(await store().turns.spending({ room: 'den' }, 0)).toEqual([second])
    expect(await store().turns.spending({ room: 'lobby' }, 99)).toEqual([
      { startedAt: 100, tokens: 11 },
      { startedAt: 150, tokens: 11 },
      third,
    ])
    expect(await store().turns.spending({ requester: 'nobody' }, 0)).toEqual([])
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
