import { readdirSync, readFileSync } from 'node:fs'
import type { LuaEngine } from '../../../src/wrap/ports.ts'
import type { Json, JsonObject } from '../../../src/base/json.ts'

/** A piece of Lua whose results two engines should agree on. */
export interface Snippet {
  /** The file's topic and the snippet's title: `strings: rep`. */
  readonly name: string
  readonly source: string
}

const directory = new URL('./snippets/', import.meta.url)
const runner = readFileSync(new URL('runner.lua', import.meta.url), 'utf8')
/** lua/wrap.lua takes no more layers than this. */
const mostAtOnce = 100

/** The snippets of each file in snippets/: a title after three dashes, then the Lua. */
export function readSnippets(): readonly Snippet[] {
  const files = readdirSync(directory).filter((file) => file.endsWith('.lua'))
  return files.toSorted().flatMap((file) => {
    const topic = file.slice(0, -'.lua'.length)
    const [, ...pieces] = readFileSync(new URL(file, directory), 'utf8').split(/^--- /m)
    return pieces.map((piece) => {
      const end = piece.indexOf('\n')
      return { name: `${topic}: ${piece.slice(0, end)}`, source: piece.slice(end + 1) }
    })
  })
}

/** What each snippet gives, raises or fails to compile with, in words that are the same for the same result. */
export function runSnippets(engine: LuaEngine, snippets: readonly Snippet[]): ReadonlyMap<string, string> {
  const results = new Map<string, string>()
  for (let from = 0; from < snippets.length; from += mostAtOnce) {
    const some = snippets.slice(from, from + mostAtOnce)
    const texts = some.map(({ source }, index) => [String(index + 1), source] as const)
    const values = { ...Object.fromEntries(texts), count: String(some.length) }
    const draft = engine.run({
      script: runner,
      data: dataWith(values),
      host: () => null,
      maxOutput: 4_000_000,
    })
    const layers = (draft as JsonObject)['layers'] as readonly JsonObject[]
    some.forEach(({ name }, index) => results.set(name, layers[index]?.['text'] as string))
  }
  return results
}

/** What lua/ reads of a snapshot, where only the room's values matter. */
const dataWith = (values: JsonObject): Json & JsonObject => ({
  now: 0,
  target: 1000,
  values,
  room: { name: 'lobby', topic: '', vibe: '', private: false, exits: [], todo: [] },
  user: { name: 'alice', role: 'owner' },
  present: [],
  model: { name: 'qwen', system_prompt: '' },
  session: {},
  history: [],
})
