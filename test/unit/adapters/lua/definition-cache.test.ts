import { expect, test } from 'vitest'
import {
  createToolHashes,
  createToolReceiver,
  createToolSender,
} from '../../../../src/adapters/lua/definition-cache.ts'
import { catalogue, sampleTool } from '../../../support/snapshot.ts'

const over = (what: unknown): unknown => JSON.parse(JSON.stringify(what))

test('tools arrive as they were sent, each of them sent once and the same object from then on', () => {
  const [hash, send, receive] = [createToolHashes(), createToolSender(), createToolReceiver()]
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
  const hash = createToolHashes()
  const hashes = [sampleTool('a'), sampleTool('a'), sampleTool('a', { description: 'New.' })].map(
    (tool) => hash(catalogue(tool))[0]!.hash,
  )
  expect(hashes[0]).toBe(hashes[1])
  expect(hashes[0]).not.toBe(hashes[2])
})

test('both sides forget when there are too many, and what is asked for afterwards is sent again', () => {
  const [hash, send, receive] = [createToolHashes(), createToolSender(), createToolReceiver()]
  const tools = catalogue(sampleTool('a'))
  receive(send(hash(tools)))
  const many = catalogue(...Array.from({ length: 5000 }, (_, number) => sampleTool(`t${number}`)))
  const sent = send(hash(many))
  expect(sent.forget).toBe(true)
  expect(receive(sent)).toEqual(many)
  expect(() => receive({ tools: hash(tools).map((one) => one.hash), fresh: {}, forget: false })).toThrow(
    'never sent',
  )
  expect(receive(send(hash(tools)))).toEqual(tools)
})

test('a schema that goes in circles is refused where it is hashed', () => {
  const schema: Record<string, unknown> = { type: 'object' }
  schema['properties'] = schema
  expect(() => createToolHashes()(catalogue(sampleTool('a', { schema: schema as never })))).toThrow()
})
