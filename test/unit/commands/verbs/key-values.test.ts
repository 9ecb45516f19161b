import { expect, test } from 'vitest'
import { TODO_KEY, todoText } from '../../../../src/chat/room-values.ts'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const BAD_KEY = 'a key is 1-64 of letters, digits, _, . and -'

test('/kv sets, lists and removes values, which are stored as JSON if they parse', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.bob, 'kv')).toEqual(done('no key is set'))
  for (const words of ['colour sky blue', 'list [1, 2]', 'set text "quoted"', 'colour.2 -1'])
    expect(await world.type(world.ann, `kv ${words}`)).toEqual(done())
  expect(await world.type(world.bob, 'kv')).toEqual(
    done('colour = "sky blue"\ncolour.2 = -1\nlist = [1,2]\ntext = "quoted"'),
  )
  expect(await world.type(world.bob, 'kv text')).toEqual(done('quoted'))
  expect(await world.exec(world.bob, 'kv hall list --json')).toEqual(done('{"key":"list","value":[1,2]}'))
  expect(await world.type(world.bob, 'kv list')).toEqual(done('[1,2]'))
  expect(await world.type(world.ann, 'kv list -')).toEqual(done())
  const all = 'colour = "sky blue"\ncolour.2 = -1\ntext = "quoted"'
  expect(await world.type(world.bob, 'kv list')).toEqual(done(all))
  expect(await world.exec(world.ann, 'kv hall set mood very happy')).toEqual(done())
  expect(await world.type(world.bob, 'kv mood')).toEqual(done('very happy'))
  expect(await world.type(world.bob, 'kv set mood sad')).toEqual(
    refused('only the owner of hall, an op or an admin can change its key-values'),
  )
  expect((await world.type(world.ann, 'kv set mood')).err[0]).toBe(
    'kv: set takes a key and a value, as in: kv set colour "blue"',
  )
  expect((await world.type(world.ann, 'kv set')).status).toBe(2)
  expect(await world.type(world.ann, 'kv set a/b c')).toEqual(refused(BAD_KEY))
  expect(await world.type(world.ann, 'kv set mood -')).toEqual(done())
  expect(await world.exec(world.bob, 'kv hall --json nope')).toEqual(done('{"key":"nope","value":null}'))
})

test('/kv get shows a value, and /kv delete or one of its aliases removes it', async () => {
  await using world = await createCommandWorld()
  const manage = refused('only the owner of hall, an op or an admin can change its key-values')
  for (const word of ['delete', 'del', 'rm', 'remove', 'unset']) {
    expect(await world.type(world.ann, 'kv mood happy')).toEqual(done())
    expect(await world.type(world.bob, `kv ${word} mood`)).toEqual(manage)
    expect(await world.type(world.bob, 'kv get mood')).toEqual(done('happy'))
    expect(await world.type(world.ann, `kv ${word} mood`)).toEqual(done())
    expect(await world.type(world.ann, 'kv')).toEqual(done('no key is set'))
    for (const words of [word, `${word} mood swings`])
      expect((await world.type(world.ann, `kv ${words}`)).err[0]).toBe(
        `kv: ${word} takes one key, as in: kv ${word} colour; a key that is called ${word} is set with kv set`,
      )
  }
  expect(await world.type(world.bob, 'kv get mood')).toEqual(refused('the key mood is not set'))
  expect(await world.exec(world.ann, 'kv hall get mood', 'piped')).toEqual(refused('the key mood is not set'))
  expect((await world.type(world.bob, 'kv get mood swings')).status).toBe(2)
  expect(await world.type(world.ann, 'kv get a/b')).toEqual(refused(BAD_KEY))
  expect(await world.exec(world.ann, 'kv hall rm tool_scope')).toMatchObject({ status: 2 })
})

test('/kv accepts a key that has the name of an action', async () => {
  await using world = await createCommandWorld()
  for (const word of ['get', 'rm']) expect(await world.type(world.ann, `kv set ${word} 1`)).toEqual(done())
  expect(await world.type(world.bob, 'kv get')).toEqual(done('1'))
  expect(await world.type(world.bob, 'kv get rm')).toEqual(done('1'))
  expect(await world.type(world.ann, 'kv rm 2')).toEqual(done())
  expect(await world.type(world.bob, 'kv rm')).toEqual(done('2'))
  expect(await world.type(world.ann, 'kv rm -')).toEqual(done())
  expect(await world.type(world.ann, 'kv rm get')).toEqual(done())
  expect(await world.type(world.bob, 'kv')).toEqual(done('no key is set'))
})

test('/kv reads a value from standard input, with --stdin up to its end', async () => {
  await using world = await createCommandWorld()
  expect(await world.exec(world.ann, 'kv hall words', '{"a": 1}\n')).toEqual(done())
  expect(await world.exec(world.bob, 'kv hall words')).toEqual(done('{"a":1}'))
  expect(await world.exec(world.ann, 'kv hall --stdin words', 'two\nlines\n')).toEqual(done())
  expect(await world.exec(world.bob, 'kv hall words')).toEqual(done('two\nlines'))
  expect(await world.exec(world.bob, 'kv hall words --json', 'ignored')).toEqual(
    done('{"key":"words","value":"two\\nlines"}'),
  )
  for (const line of ['kv hall words', 'kv hall --stdin words'])
    expect(await world.exec(world.bob, line, 'mine')).toEqual(
      refused('only the owner of hall, an op or an admin can change its key-values'),
    )
  expect(await world.exec(world.ann, 'kv hall --stdin words', ' \n')).toEqual(
    refused('standard input has no value; nothing was changed'),
  )
  for (const bytes of ['\0', 'one \uFFFD\uFFFD'])
    expect(await world.exec(world.ann, 'kv hall --stdin words', bytes)).toEqual(
      refused('a value is text in UTF-8, and what was piped in is not; nothing was changed'),
    )
  expect((await world.exec(world.ann, 'kv hall tool_scope', 'all')).err[0]).toContain('is set with tools')
  expect((await world.type(world.ann, 'kv --stdin words')).err[0]).toContain('--stdin is for scripts')
  expect(await world.exec(world.bob, 'kv hall words')).toEqual(done('two\nlines'))
})

test.each([
  ['tool_scope', '/tools [--list PATTERN] [--json] [SCOPE…]'],
  ['checkpoint', '/checkpoint [NAME]'],
  ['exits', '/portal [--both] DIRECTION TO'],
  ['nav', '/nav [STATE]'],
])('/kv refuses the reserved key %s and names its own command', async (key, form) => {
  await using world = await createCommandWorld()
  const [verb = ''] = form.slice(1).split(' ')
  expect(await world.type(world.ann, `kv ${key} x`)).toEqual(misused(`kv: ${key} is set with ${verb}`, form))
  const { err } = await world.exec(world.ann, `kv hall ${key} x`)
  expect(err[1]).toBe(`usage: ${form.slice(1).replace(verb, `${verb} ROOM`)}`)
})

test('/kv refuses an invalid key before it checks rights', async () => {
  await using world = await createCommandWorld()
  for (const key of ['a/b', 'x'.repeat(65), '\u001b[2J', 'ключ'])
    for (const words of [key, `${key} value`])
      expect(await world.type(world.bob, `kv ${words}`)).toEqual(refused(BAD_KEY))
})

test('/kv limits the size of values, the number of keys, and the characters of text', async () => {
  await using world = await createCommandWorld()
  expect(await world.type(world.ann, `kv big ${'x'.repeat(16_385)}`)).toEqual(
    refused('a value has at most 16384 characters'),
  )
  await world.type(world.ann, 'kv text red\u001b[31m\u0000')
  expect(await world.type(world.bob, 'kv text')).toEqual(done('red'))
  for (let index = 1; index < 256; index++) await world.type(world.ann, `kv k${index} 1`)
  expect(await world.type(world.ann, 'kv one_more 1')).toEqual(
    refused('a room has at most 256 keys; - removes one'),
  )
  expect(await world.type(world.ann, 'kv k1 2')).toEqual(done())
})

test('/kv sanitizes all texts inside JSON, and refuses JSON nested over 64 deep', async () => {
  await using world = await createCommandWorld()
  const hidden = '{"a\\u200b":["\\u001b[31mred","x\\udb40\\udc41\\u2028y"]}'
  expect(await world.type(world.ann, `kv json ${hidden}`)).toEqual(done())
  expect(await world.exec(world.bob, 'kv hall json')).toEqual(done('{"a":["red","x\\ny"]}'))
  for (const depth of [65, 8000])
    expect(await world.type(world.ann, `kv deep ${'['.repeat(depth)}${']'.repeat(depth)}`)).toEqual(
      refused('a value is nested at most 64 deep; this one is deeper'),
    )
  expect(await world.exec(world.ann, `kv hall deep ${'['.repeat(64)}${']'.repeat(64)}`)).toEqual(done())
})

test('/kv stores a name such as __proto__ like any other key', async () => {
  await using world = await createCommandWorld()
  await world.type(world.ann, 'kv __proto__ 1')
  expect(await world.type(world.bob, 'kv __proto__')).toEqual(done('1'))
  expect(await world.type(world.bob, 'kv constructor')).toEqual(refused('the key constructor is not set'))
})

test('/kv shows an exit only to people who see the room behind it', async () => {
  await using world = await createCommandWorld()
  await world.exec(world.ann, 'portal hall down den')
  expect(await world.type(world.ann, 'kv exits')).toEqual(done('{"down":"den"}'))
  expect(await world.type(world.bob, 'kv exits')).toEqual(refused('the key exits is not set'))
  expect(await world.type(world.bob, 'kv')).toEqual(done('no key is set'))
})

test('/todo shows the to-do list of the room, or an empty one if the value is malformed', async () => {
  await using world = await createCommandWorld()
  const { storage, rooms } = world.turnWorld.chatParts
  const { name } = await rooms.get('hall', world.ann)
  expect(await world.type(world.bob, 'todo')).toEqual(done(todoText([])))
  const todo = [{ content: 'write it down', status: 'pending' }]
  await storage.chat.rooms.setValue(name, TODO_KEY, todo)
  expect((await world.type(world.bob, 'todo')).out[0]).toContain('write it down')
  expect(await world.exec(world.bob, 'todo hall --json')).toEqual(
    done(JSON.stringify({ room: 'hall', todo })),
  )
  for (const value of ['x', 1, { a: 1 }, [{ status: 'pending' }, null]]) {
    await storage.chat.rooms.setValue(name, TODO_KEY, value)
    expect(await world.type(world.bob, 'todo')).toEqual(done(todoText([])))
  }
})
