import { expect, test } from 'vitest'
import type { Storage } from '../../../src/storage/storage.ts'
import type { RoomName } from '../../../src/words/entry.ts'
import type { RoomRecord } from '../../../src/chat/ports.ts'
import { room } from '../../support/storage.ts'
import { den, nowhere, alice, bob, register, refused, say, textsOf } from './cast.ts'

/** What a rooms store must do; `store` gives that of the running test. */
export function roomsExam(store: () => Storage): void {
  test('rooms are found by name and listed in order of name', async () => {
    const lounge = room('lounge', { vibe: 'calm', createdAt: 9 })
    expect(await store().chat.rooms.create(lounge)).toBe(true)
    expect(await store().chat.rooms.create(room('attic', { private: true }))).toBe(true)
    expect(await store().chat.rooms.find('lounge' as RoomName)).toEqual(lounge)
    expect(await store().chat.rooms.find(nowhere)).toBeUndefined()
    expect((await store().chat.rooms.all()).map((record: RoomRecord) => record.name)).toEqual([
      'attic',
      'lounge',
    ])
  })

  test('only one of two concurrent attempts creates a room, and its maker is the owner', async () => {
    await register(store(), alice, bob)
    const made = await Promise.all(
      [alice, bob].map((owner) => store().chat.rooms.create(room('den', { owner: owner.id }))),
    )
    expect(made).toEqual([true, false])
    expect(await store().chat.rooms.members(den)).toEqual([{ person: alice, membership: 'owner' }])
    expect(await store().chat.rooms.membership(den, bob.id)).toBeUndefined()
  })

  test('the topic and the vibe of a room change independently', async () => {
    await store().chat.rooms.create(room('den', { topic: 'old', vibe: 'calm' }))
    await store().chat.rooms.update(den, { topic: '' })
    expect(await store().chat.rooms.find(den)).toMatchObject({ topic: '', vibe: 'calm' })
    await store().chat.rooms.update(den, { vibe: 'wild' })
    expect(await store().chat.rooms.find(den)).toMatchObject({ topic: '', vibe: 'wild' })
    await store().chat.rooms.update(nowhere, { topic: 'x' })
    expect(await store().chat.rooms.find(nowhere)).toBeUndefined()
  })

  test('members of a room are listed by name and can be changed or removed', async () => {
    await register(store(), alice, bob)
    await store().chat.rooms.create(room('den', {}))
    await store().chat.rooms.setMembership(den, alice.id, 'member')
    await store().chat.rooms.setMembership(den, bob.id, 'invited')
    await store().chat.rooms.setMembership(den, bob.id, 'op')
    expect(await store().chat.rooms.members(den)).toEqual([
      { person: bob, membership: 'op' },
      { person: alice, membership: 'member' },
    ])
    await store().chat.rooms.setMembership(den, bob.id, null)
    expect(await store().chat.rooms.membership(den, bob.id)).toBeUndefined()
    expect(await store().chat.rooms.members(nowhere)).toEqual([])
  })

  test('unregistered members or owners and a missing room are refused', async () => {
    await register(store(), alice)
    await store().chat.rooms.create(room('den', {}))
    await refused(store().chat.rooms.setMembership(den, bob.id, 'member'))
    await refused(store().chat.rooms.setMembership(nowhere, alice.id, 'member'))
    await refused(store().chat.rooms.create(room('new', { owner: bob.id })))
    expect(await store().chat.rooms.find('new' as RoomName)).toBeUndefined()
  })

  test('a forked room is an independent copy of the values, the instructions, the personas, the memory and the script, which nobody has set in it', async () => {
    await register(store(), alice, bob)
    const { rooms } = store().chat
    const { scripts, instructions, personas, memories } = store().prompts
    await rooms.create(room('den', { owner: alice.id }))
    await rooms.setValue(den, 'tool_scope', ['Grep'])
    await scripts.put({ room: den, source: 'one', author: 'alice', at: 1 })
    await scripts.put({ room: den, source: 'two', author: 'bob', person: bob.id, at: 2 })
    const instruct = (model: string, words: string) =>
      instructions.put({ room: den, model, text: words, author: 'alice', at: 3 })
    for (const words of ['one', 'two']) await instruct('', words)
    for (const words of ['gone', '']) await instruct('qwen', words)
    const persona = (name: string, words: string) =>
      personas.put(
        { room: den, name, model: 'qwen', text: words, tools: ['read'], author: 'alice', at: 3 },
        9,
      )
    for (const words of ['one', 'two']) await persona('critic', words)
    for (const words of ['gone', '']) await persona('reviewer', words)
    const said = { author: 'alice', person: alice.id, at: 4 }
    for (const words of ['gone', 'tea is at five'])
      await memories.add({ room: den }, { ...said, text: words }, 9)
    await memories.change({ room: den }, 1, { ...said, text: '' }, 9)
    await memories.add({ person: alice.id }, { ...said, text: 'of alice alone' }, 9)
    const copy = room('copy', { owner: bob.id, vibe: 'calm' })
    expect(await rooms.fork(den, copy)).toBe(true)
    expect(await rooms.fork(den, { ...copy, vibe: 'wild' })).toBe(false)
    expect(await rooms.find(copy.name)).toEqual(copy)
    expect(await rooms.members(copy.name)).toEqual([{ person: bob, membership: 'owner' }])
    expect([...(await rooms.values(copy.name))]).toEqual([['tool_scope', ['Grep']]])
    const version = { room: copy.name, version: 1, source: 'two', author: 'bob', person: null, at: 2 }
    expect(await scripts.versions(copy.name)).toEqual([version])
    expect(await instructions.versions(copy.name)).toEqual([
      { room: copy.name, model: '', version: 1, text: 'two', author: 'alice', at: 3 },
    ])
    expect(await personas.versions(copy.name)).toMatchObject([
      { name: 'critic', version: 1, text: 'two', tools: ['read'] },
    ])
    expect(await memories.versions({ room: copy.name })).toEqual([
      { ...said, number: 2, version: 1, text: 'tea is at five' },
    ])
    await rooms.setValue(den, 'tool_scope', 'all')
    expect(await rooms.getValue(copy.name, 'tool_scope')).toEqual(['Grep'])
  })

  test('values of a room may be any JSON and are listed in order of key until they are removed', async () => {
    await store().chat.rooms.create(room('den', {}))
    const value = { list: [1, 'zwei', null, true], '': {} }
    await store().chat.rooms.setValue(den, 'b', value)
    await store().chat.rooms.setValue(den, 'a', null)
    await store().chat.rooms.setValue(den, 'b', [value])
    await store().chat.rooms.setValue(den, '__proto__', false)
    expect(await store().chat.rooms.getValue(den, 'b')).toEqual([value])
    expect(await store().chat.rooms.getValue(den, 'a')).toBeNull()
    expect([...(await store().chat.rooms.values(den))]).toEqual([
      ['__proto__', false],
      ['a', null],
      ['b', [value]],
    ])
    await store().chat.rooms.setValue(den, 'b', undefined)
    await store().chat.rooms.setValue(den, 'never set', undefined)
    expect(await store().chat.rooms.getValue(den, 'b')).toBeUndefined()
    expect(await store().chat.rooms.values(nowhere)).toEqual(new Map())
    await refused(store().chat.rooms.setValue(nowhere, 'a', 1))
  })

  test('a room that gets a new owner makes the former owner an op', async () => {
    await register(store(), alice, bob)
    const { rooms } = store().chat
    await rooms.create(room('den', { owner: alice.id }))
    await rooms.setOwner(den, bob.id)
    expect(await rooms.find(den)).toMatchObject({ owner: bob.id })
    expect(await rooms.members(den)).toEqual([
      { person: bob, membership: 'owner' },
      { person: alice, membership: 'op' },
    ])
  })

  test('a talk keeps its model when it is renamed, and its fork is no talk', async () => {
    await register(store(), alice)
    const { rooms } = store().chat
    const talk = room('alice-qwen', { owner: alice.id, private: true, talk: 'qwen' })
    await rooms.create(talk)
    expect(await rooms.rename(talk.name, den)).toBe('renamed')
    expect(await rooms.find(den)).toEqual({ ...talk, name: den })
    await rooms.fork(den, room('copy', { owner: alice.id }))
    expect((await rooms.all()).map(({ name, talk: model }) => [name, model])).toEqual([
      ['copy', undefined],
      ['den', 'qwen'],
    ])
  })

  test('a talk that gets a new owner is a room like others', async () => {
    await register(store(), alice, bob)
    const { rooms } = store().chat
    await rooms.create(room('den', { owner: alice.id, talk: 'qwen' }))
    await rooms.setOwner(den, bob.id)
    expect(await rooms.find(den)).toEqual(room('den', { owner: bob.id }))
  })

  test('a renamed room keeps its data, and no other room gets its former name', async () => {
    await register(store(), alice)
    const { rooms, entries } = store().chat
    const pit = 'pit' as RoomName
    const record = room('den', { owner: alice.id, topic: 'plans' })
    await rooms.create(record)
    await rooms.setValue(den, 'colour', 'blue')
    await rooms.create(room('hall', {}))
    await rooms.setValue('hall' as RoomName, 'exits', { up: 'den', down: 'denim' })
    await say(store(), 1, 3, 'message', den)
    expect(await rooms.rename(den, 'hall' as RoomName)).toBe('taken')
    expect(await rooms.rename(den, pit)).toBe('renamed')
    expect(await rooms.find(den)).toBeUndefined()
    expect(await rooms.find(pit)).toEqual({ ...record, name: pit })
    expect(await rooms.membership(pit, alice.id)).toBe('owner')
    expect([...(await rooms.values(pit))]).toEqual([['colour', 'blue']])
    expect(await rooms.getValue('hall' as RoomName, 'exits')).toEqual({ up: 'pit', down: 'denim' })
    expect(textsOf(await entries.read(pit, { limit: 9 }))).toEqual(['text 1', 'text 2', 'text 3'])
    expect(await entries.read(den, { limit: 9 })).toEqual([])
    expect(await rooms.findRenamed(den)).toBe(pit)
    expect(await rooms.create(record)).toBe(false)
    expect(await rooms.rename('hall' as RoomName, den)).toBe('taken')
    expect(await rooms.fork(pit, room('copy', {}))).toBe(true)
    expect(await rooms.rename(pit, den)).toBe('renamed')
    expect([await rooms.findRenamed(den), await rooms.findRenamed(pit)]).toEqual([undefined, den])
  })

  test('a room has at most eight former names', async () => {
    const { rooms } = store().chat
    await rooms.create(room('den-0', {}))
    const done: string[] = []
    for (let n = 0; n < 9; n++)
      done.push(await rooms.rename(`den-${n}` as RoomName, `den-${n + 1}` as RoomName))
    expect(done).toEqual([...Array<string>(8).fill('renamed'), 'full'])
    expect(await rooms.rename('den-8' as RoomName, 'den-3' as RoomName)).toBe('renamed')
  })
}
