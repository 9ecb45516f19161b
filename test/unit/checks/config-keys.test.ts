import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { fileSchema } from '../../../src/config/schema.ts'
import { keysOf, unreadKeys, type Schema } from '../../checks/config-keys.ts'
import type { Sources } from '../../checks/size.ts'
import { readSources } from '../../checks/sources.ts'

const KEYS = keysOf(z.toJSONSchema(fileSchema, { io: 'input' }) as Schema)

let sources: Sources
beforeAll(async () => {
  sources = await readSources(fileURLToPath(new URL('../../..', import.meta.url)))
})

// That every key of the config has a reader, `npm run check` finds.
test('a key whose reader is left out is found, whatever its section', () => {
  expect(KEYS.length).toBeGreaterThan(60)
  const keys = ['server.motd', 'server.admins', 'sandbox.disk_mb', 'lua.engine', 'limits.login_timeout_s']
  const without = keys.reduce((text, key) => text.replaceAll(key, 'nothing'), JSON.stringify([...sources]))
  expect(unreadKeys(KEYS, new Map(JSON.parse(without) as [string, string][]))).toEqual(keys)
})

test('a key that only the schema has is found, whatever its section', () => {
  const added = [
    'limits.new',
    'server.new',
    'models[].new',
    'tools.web.new',
    'tools.web.search.new',
    'new.key',
  ]
  expect(unreadKeys([...KEYS, ...added], sources)).toEqual(added)
})

test('a type that names a key does not read it', () => {
  const files = new Map([['src/x.ts', 'export interface Limits { readonly turn_s: number }\n']])
  expect(unreadKeys(['limits.turn_s'], files)).toEqual(['limits.turn_s'])
})
