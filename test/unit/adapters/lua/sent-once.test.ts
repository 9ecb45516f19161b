import { expect, test } from 'vitest'
import {
  createToolKeys,
  createToolReceiver,
  createToolSender,
} from '../../../../src/adapters/lua/sent-once.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'

const over = <T>(what: T): T => JSON.parse(JSON.stringify(what)) as T

test('tools arrive as they were sent, each of them sent once and the same object from then on', () => {
  const [hash, send, receive] = [createToolKeys(), createToolSender(), createToolReceiver()]
  const tools = catalogue(sampleTool('a'), sampleTool('b'))
  const arrived = receive(over(send(hash(tools))))
  expect(arrived).toEqual(tools)
  const second = send(hash(tools.toReversed()))
  expect(second.made?.fresh).toEqual({})
  const turned = receive(over(second))
  expect(turned).toEqual(tools.toReversed())
  expect(turned[0]).toBe(arrived[1])
})

test('a list that was sent before is named by its number and is the same array again', () => {
  const [hash, send, receive] = [createToolKeys(), createToolSender(), createToolReceiver()]
  const [tools, others] = [catalogue(sampleTool('a'), sampleTool('b')), catalogue(sampleTool('c'))]
  const arrived = receive(over(send(hash(tools))))
  expect(receive(over(send(hash(others))))).toEqual(others)
  const again = send(hash([...tools]))
  expect(again).toEqual({ list: 0 })
  expect(receive(over(again))).toBe(arrived)
})

test('a tool that says something else is another tool, and one that says the same is not', () => {
  const hash = createToolKeys()
  const hashes = [sampleTool('a'), sampleTool('a'), sampleTool('a', { description: 'New.' })].map(
    (tool) => hash(catalogue(tool))[0]!.key,
  )
  expect(hashes[0]).toBe(hashes[1])
  expect(hashes[0]).not.toBe(hashes[2])
})

test('both sides forget when there are too many tools, and what is asked for afterwards is sent again', () => {
  const [hash, send, receive] = [createToolKeys(), createToolSender(), createToolReceiver()]
  const tools = catalogue(sampleTool('a'))
  receive(send(hash(tools)))
  const many = catalogue(...Array.from({ length: 5000 }, (_, number) => sampleTool(`t${number}`)))
  const sent = send(hash(many))
  expect(sent.made?.forget).toBe(true)
  expect(receive(sent)).toEqual(many)
  const keys = hash(tools).map(({ key }) => key)
  expect(() => receive({ list: 9, made: { keys, fresh: {}, forget: false } })).toThrow('never sent')
  expect(() => receive({ list: 77 })).toThrow('never sent')
  expect(receive(send(hash(tools)))).toEqual(tools)
})

test('both sides forget when there are too many lists', () => {
  const [hash, send, receive] = [createToolKeys(), createToolSender(), createToolReceiver()]
  const tools = catalogue(...Array.from({ length: 100 }, (_, number) => sampleTool(`t${number}`)))
  let forgot = 0
  for (let count = 1; count <= 100; count += 1) {
    const some = tools.slice(0, count)
    const sent = send(hash(some))
    forgot += sent.made?.forget ? 1 : 0
    expect(receive(over(sent))).toEqual(some)
  }
  expect(forgot).toBe(1)
  expect(receive(over(send(hash(tools.slice(0, 1)))))).toEqual(tools.slice(0, 1))
})

test('a schema that goes in circles is refused where it is hashed', () => {
  const schema: Record<string, unknown> = { type: 'object' }
  schema['properties'] = schema
  expect(() => createToolKeys()(catalogue(sampleTool('a', { schema: schema as never })))).toThrow()
})
