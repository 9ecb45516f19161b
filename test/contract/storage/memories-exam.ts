import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { MemoryOwner } from '../../../src/turns/memory/index.ts'
import { room } from '../../support/storage.ts'
import { alice, bob, den, nowhere, refused, register } from './cast.ts'

/** What a store of memories must do; `store` gives that of the running test. */
export function memoriesExam(store: () => Storage): void {
  const said = { author: 'alice', person: alice.id, at: 5 }
  const ofRoom = { room: den }
  const add = (of: MemoryOwner, text: string, most = 9) =>
    store().prompts.memories.add(of, { ...said, text }, most)
  const change = (of: MemoryOwner, number: number, text: string, most = 9) =>
    store().prompts.memories.change(of, number, { ...said, text }, most)
  const texts = async (of: MemoryOwner) =>
    (await store().prompts.memories.current(of)).map(({ number, text }) => `${number} ${text}`)

  test('memories of a room and of a person are numbered from 1, each for itself', async () => {
    await register(store(), alice, bob)
    await store().chat.rooms.create(room('den', {}))
    expect(await add(ofRoom, 'one')).toEqual({ ...said, number: 1, version: 1, text: 'one' })
    expect(await Promise.all([add(ofRoom, 'two'), add(ofRoom, 'three')])).toMatchObject([
      { number: 2 },
      { number: 3 },
    ])
    expect(await add({ person: alice.id }, 'mine')).toMatchObject({ number: 1, version: 1 })
    expect(await texts(ofRoom)).toEqual(['1 one', '2 two', '3 three'])
    expect(await texts({ person: alice.id })).toEqual(['1 mine'])
    expect(await texts({ person: bob.id })).toEqual([])
    await refused(add({ room: nowhere }, 'x'))
  })

  test('a forgotten memory keeps its number, its versions and its place', async () => {
    await register(store(), alice)
    await store().chat.rooms.create(room('den', {}))
    for (const text of ['one', 'two']) await add(ofRoom, text)
    expect(await change(ofRoom, 1, '')).toMatchObject({ number: 1, version: 2, text: '' })
    expect(await texts(ofRoom)).toEqual(['2 two'])
    expect(await add(ofRoom, 'three')).toMatchObject({ number: 3 })
    expect(await change(ofRoom, 1, 'one')).toMatchObject({ number: 1, version: 3 })
    expect(await texts(ofRoom)).toEqual(['1 one', '2 two', '3 three'])
    const versions = await store().prompts.memories.versions(ofRoom)
    expect(versions.map(({ number, version }) => `${number}.${version}`)).toEqual([
      '1.3',
      '1.2',
      '1.1',
      '2.1',
      '3.1',
    ])
  })

  test('an owner has at most a number of memories, and a forgotten one makes space', async () => {
    await register(store(), alice)
    const mine = { person: alice.id }
    for (const text of ['one', 'two']) await add(mine, text, 2)
    expect(await add(mine, 'three', 2)).toBe('full')
    await change(mine, 1, '', 2)
    expect(await add(mine, 'three', 2)).toMatchObject({ number: 3 })
    expect(await change(mine, 1, 'one', 2)).toBe('full')
    expect(await texts(mine)).toEqual(['2 two', '3 three'])
  })

  test('a person says for each room whether what they said of themselves goes along', async () => {
    await register(store(), alice, bob)
    await store().chat.rooms.create(room('den', {}))
    const { memories } = store().prompts
    expect(await memories.goesAlong(alice.id, den)).toBeUndefined()
    await memories.setGoesAlong(alice.id, den, true)
    await memories.setGoesAlong(bob.id, den, true)
    await memories.setGoesAlong(bob.id, den, false)
    expect(await memories.goesAlong(alice.id, den)).toBe(true)
    expect(await memories.goesAlong(bob.id, den)).toBe(false)
  })

  test('memories of a room go with it to its new name, and are gone with the room', async () => {
    await register(store(), alice)
    const { rooms, removal } = store().chat
    await rooms.create(room('den', {}))
    await add(ofRoom, 'one')
    await store().prompts.memories.setGoesAlong(alice.id, den, true)
    expect(await rooms.rename(den, nowhere)).toBe('renamed')
    expect(await texts({ room: nowhere })).toEqual(['1 one'])
    expect(await store().prompts.memories.goesAlong(alice.id, nowhere)).toBe(true)
    await removal.remove(nowhere)
    expect(await store().prompts.memories.versions({ room: nowhere })).toEqual([])
  })
}
