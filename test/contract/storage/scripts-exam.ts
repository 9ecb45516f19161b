import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import { room } from '../../support/storage.ts'
import { alice, lobby, den, nowhere, refused, register } from './cast.ts'

/** What a scripts store must do; `store` gives that of the running test. */
export function scriptsExam(store: () => Storage): void {
  test('scripts of a room are numbered from 1, and the newest is current', async () => {
    await store().chat.rooms.create(room('den', {}))
    await store().chat.rooms.create(room('lobby', {}))
    const put = { room: den, author: 'alice', person: null, at: 5 }
    expect(await store().prompts.scripts.current(den)).toBeUndefined()
    const versions = await Promise.all(
      ['a', ''].map((source) => store().prompts.scripts.put({ ...put, source })),
    )
    expect(versions).toEqual([
      { ...put, version: 1, source: 'a' },
      { ...put, version: 2, source: '' },
    ])
    expect(await store().prompts.scripts.put({ ...put, room: lobby, source: 'x' })).toMatchObject({
      version: 1,
    })
    expect(await store().prompts.scripts.current(den)).toEqual(versions[1])
    expect(await store().prompts.scripts.versions(den)).toEqual(versions.toReversed())
    expect(await store().prompts.scripts.versions(nowhere)).toEqual([])
    await refused(store().prompts.scripts.put({ ...put, room: nowhere, source: 'x' }))
  })

  test('a script has the person who set it', async () => {
    await register(store(), alice)
    await store().chat.rooms.create(room('den', {}))
    const { scripts } = store().prompts
    await scripts.put({ room: den, source: 'x', author: 'alice', person: alice.id, at: 5 })
    expect(await scripts.current(den)).toMatchObject({ author: 'alice', person: alice.id })
  })

  test('the newest instructions for all models apply together with those for one model', async () => {
    await store().chat.rooms.create(room('den', {}))
    const { instructions } = store().prompts
    const put = (model: string, words: string, at: number) =>
      instructions.put({ room: den, model, text: words, author: 'alice', at })
    expect(await instructions.current(den, 'qwen')).toEqual([])
    expect(await put('qwen', 'own', 1)).toMatchObject({ model: 'qwen', version: 1, text: 'own' })
    expect(await put('', 'all', 2)).toMatchObject({ model: '', version: 1 })
    expect(await instructions.current(den, 'qwen')).toEqual(['all', 'own'])
    expect(await instructions.current(den, 'bot')).toEqual(['all'])
    expect(await put('qwen', '', 3)).toMatchObject({ version: 2 })
    expect(await instructions.current(den, 'qwen')).toEqual(['all'])
    expect((await instructions.versions(den)).map(({ text }) => text)).toEqual(['all', '', 'own'])
  })

  test('a room has the newest version of each persona that was not removed, up to a number', async () => {
    await store().chat.rooms.create(room('den', {}))
    const { personas } = store().prompts
    const put = (name: string, words: string, tools: readonly string[] | null = null) =>
      personas.put({ room: den, name, model: 'qwen', text: words, tools, author: 'alice', at: 5 }, 2)
    const first = { room: den, name: 'reviewer', model: 'qwen', tools: ['read', '!Grep'], author: 'alice' }
    expect(await put('reviewer', 'one', first.tools)).toEqual({ ...first, version: 1, text: 'one', at: 5 })
    expect(await put('reviewer', 'two')).toMatchObject({ version: 2, tools: null })
    expect(await put('critic', 'doubt')).toMatchObject({ version: 1 })
    expect(await put('third', 'too many')).toBe('full')
    expect(await put('critic', 'doubt more')).toMatchObject({ version: 2 })
    const texts = async () => (await personas.current(den)).map(({ name, text }) => `${name}: ${text}`)
    expect(await texts()).toEqual(['critic: doubt more', 'reviewer: two'])
    expect(await put('critic', '')).toMatchObject({ version: 3 })
    expect(await put('third', 'room now')).toMatchObject({ version: 1 })
    expect(await texts()).toEqual(['reviewer: two', 'third: room now'])
    expect((await personas.versions(den)).map(({ name, version }) => `${name} ${version}`)).toEqual([
      'critic 3',
      'critic 2',
      'critic 1',
      'reviewer 2',
      'reviewer 1',
      'third 1',
    ])
    expect(await personas.current(nowhere)).toEqual([])
    await refused(personas.put({ ...first, room: nowhere, text: 'x', at: 5 }, 2))
  })
}
