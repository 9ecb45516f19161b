import { expect, test } from 'vitest'
import type { Json } from '../../../src/lib/json.ts'
import { isJsonObject } from '../../../src/lib/json.ts'
import { BUILTIN_IDS, builtinTools } from '../../../src/tools/builtin/index.ts'
import { ROOM_TOOL_IDS, roomTools } from '../../../src/tools/rooms/index.ts'
import { createChatParts } from '../../support/chat-parts.ts'

/** The paths of all parameters of a schema that have no text. */
function silent(schema: Json | undefined, path = ''): readonly string[] {
  if (!isJsonObject(schema)) return []
  const { properties, items } = schema
  const named = isJsonObject(properties) ? Object.entries(properties) : []
  return [
    ...silent(items, `${path}[]`),
    ...named.flatMap(([name, inner]) => {
      const here = path === '' ? name : `${path}.${name}`
      const isTold =
        isJsonObject(inner) && typeof inner['description'] === 'string' && inner['description'].trim() !== ''
      return [...(isTold ? [] : [here]), ...silent(inner, here)]
    }),
  ]
}

test('every parameter of every tool that the server brings along has a text for models', async () => {
  const { rooms, storage } = await createChatParts()
  const tools = [
    ...builtinTools({ todo: storage.chat.rooms, results: storage.tools.results }),
    ...roomTools({ rooms, log: storage.chat.entries, store: storage.chat.rooms }),
  ]
  expect(tools.map(({ id }) => id)).toEqual([...BUILTIN_IDS, ...ROOM_TOOL_IDS])
  expect(tools.flatMap(({ id, schema }) => silent(schema).map((name) => `${id}: ${name}`))).toEqual([])
})
