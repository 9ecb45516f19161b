import { expect, test } from 'vitest'
import {
  createToolKeys,
  createReceiver,
  createSender,
  rowKeys,
} from '../../../../src/adapters/lua/sent-once.ts'
import type { CatalogueTool } from '../../../../src/prompt/snapshot.ts'
import { catalogue, row, sampleTool } from '../../../support/snapshot.ts'

const over = (what: unknown): unknown => JSON.parse(JSON.stringify(what))

test('tools arrive as they were sent, each of them sent once and the same object from then on', () => {
  const [hash, send, receive] = [
    createToolKeys(),
    createSender<CatalogueTool>(),
    createReceiver<CatalogueTool>(),
  ]
  const tools = catalogue(sampleTool('a'), sampleTool('b'))
  const first = send(hash(tools))
  const arrived = receive(over(first) as typeof first)
  expect(arrived).toEqual(tools)
  const second = send(hash(tools.toReversed()))
  expect(second.fresh).toEqual({})
  expect(receive(second)).toEqual(tools.toReversed())
  expect(receive(second)[0]).toBe(arrived[1])
})

test('a tool that says something else is another tool, and one that says the same is not', () => {
  const hash = createToolKeys()
  const hashes = [sampleTool('a'), sampleTool('a'), sampleTool('a', { description: 'New.' })].map(
    (tool) => hash(catalogue(tool))[0]!.key,
  )
  expect(hashes[0]).toBe(hashes[1])
  expect(hashes[0]).not.toBe(hashes[2])
})

test('both sides forget when there are too many, and what is asked for afterwards is sent again', () => {
  const [hash, send, receive] = [
    createToolKeys(),
    createSender<CatalogueTool>(),
    createReceiver<CatalogueTool>(),
  ]
  const tools = catalogue(sampleTool('a'))
  receive(send(hash(tools)))
  const many = catalogue(...Array.from({ length: 5000 }, (_, number) => sampleTool(`t${number}`)))
  const sent = send(hash(many))
  expect(sent.forget).toBe(true)
  expect(receive(sent)).toEqual(many)
  expect(() => receive({ keys: hash(tools).map((one) => one.key), fresh: {}, forget: false })).toThrow(
    'never sent',
  )
  expect(receive(send(hash(tools)))).toEqual(tools)
})

test('a schema that goes in circles is refused where it is hashed', () => {
  const schema: Record<string, unknown> = { type: 'object' }
  schema['properties'] = schema
  expect(() => createToolKeys()(catalogue(sampleTool('a', { schema: schema as never })))).toThrow()
})

test('a row of history has a key of its own for each entry and each text', () => {
  const keys = rowKeys([
    row(1, { text: 'a' }),
    row(2, { text: 'a' }),
    row(1, { text: 'b' }),
    row(1, { text: 'a' }),
  ])
  expect(new Set(keys.map(({ key }) => key)).size).toBe(3)
  expect(keys[3]!.key).toBe(keys[0]!.key)
})
