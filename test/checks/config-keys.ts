import { parseSync, type Node } from 'oxc-parser'
import { walk } from 'oxc-walker'
import type { Sources } from './size.ts'

/** A JSON Schema, as far as it is looked at here. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** The paths of all keys of a schema that hold a value: `limits.turn_s`, `models[].name`. */
export function keysOf(schema: Schema, path = ''): readonly string[] {
  if (schema.items?.properties) return keysOf(schema.items, `${path}[]`)
  if (!schema.properties) return [path]
  return Object.entries(schema.properties).flatMap(([key, inner]) =>
    keysOf(inner, path === '' ? key : `${path}.${key}`),
  )
}

/** Sections that go to one adapter, under names that other things have too: where their readers are. */
const READERS: ReadonlyMap<string, RegExp> = new Map([
  ['models[]', /^src\/(config\/models|(adapters\/models|app|turns)\/.*)\.ts$/],
  ['mcp[]', /^src\/(config\/mcp|adapters\/mcp\/.*)\.ts$/],
  ['http', /^src\/adapters\/http\/.*\.ts$/],
  ['tools.web', /^src\/adapters\/web\/.*\.ts$/],
  ['tools.web.search', /^src\/(config\/web|adapters\/web\/.*)\.ts$/],
])

/** Sections whose keys have names that nothing else has: wherever such a name is read, it is the key. */
const OWN_NAMES: ReadonlySet<string> = new Set(['limits'])

/**
 * The keys that no file of `src` reads, in their order. To read is to write `section.key`, or to take the key out of
 * its section with `{ key }`; a type that only names the key reads nothing.
 */
export function unreadKeys(keys: readonly string[], sources: Sources): readonly string[] {
  const reads = [...sources].filter(([path]) => isReader(path)).flatMap(([path, text]) => readsIn(path, text))
  return keys.filter((key) => {
    const { section, name } = partsOf(key)
    const readers = READERS.get(section)
    const isOwn = OWN_NAMES.has(section)
    return !reads.some(
      (one) =>
        one.name === name && (isOwn || (readers ? readers.test(one.path) : one.of === lastWord(section))),
    )
  })
}

const isReader = (path: string): boolean =>
  path.startsWith('src/') && path.endsWith('.ts') && path !== 'src/config/schema.ts'

function partsOf(key: string): { readonly section: string; readonly name: string } {
  const dot = key.lastIndexOf('.')
  return { section: key.slice(0, Math.max(0, dot)), name: key.slice(dot + 1) }
}

const lastWord = (section: string): string => section.split('.').at(-1) ?? ''

/** A property that is read somewhere, and the name of what it is read from where that has one. */
interface Read {
  readonly path: string
  readonly name: string
  readonly of: string | undefined
}

/** What was found in each text: many questions are asked about the same files, and to parse them takes a second. */
const found = new Map<string, readonly Read[]>()

function readsIn(path: string, text: string): readonly Read[] {
  const name = `${path}\n${text}`
  const reads = found.get(name) ?? parsedReads(path, text)
  found.set(name, reads)
  return reads
}

function parsedReads(path: string, text: string): readonly Read[] {
  const reads: Read[] = []
  const { program } = parseSync(path, text)
  walk(program, {
    enter(node, parent) {
      if (node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier')
        reads.push({ path, name: node.property.name, of: nameOf(node.object) })
      if (node.type === 'ObjectPattern')
        for (const name of keysIn(node)) reads.push({ path, name, of: sourceOf(parent) })
    },
  })
  return reads
}

const keysIn = ({ properties }: Node & { type: 'ObjectPattern' }): readonly string[] =>
  properties.flatMap((one) =>
    one.type === 'Property' && one.key.type === 'Identifier' ? [one.key.name] : [],
  )

/** `tools` of `config.tools` and of `tools`. */
function nameOf(node: Node | null): string | undefined {
  if (node?.type === 'Identifier') return node.name
  if (node?.type !== 'MemberExpression' || node.computed) return undefined
  return node.property.type === 'Identifier' ? node.property.name : undefined
}

/** The name of what a pattern takes apart: `const { dirs } = config.tools`, or `{ tools: { dirs } }` in a pattern. */
function sourceOf(parent: Node | null): string | undefined {
  if (parent?.type === 'VariableDeclarator') return nameOf(parent.init)
  if (parent?.type === 'Property' && parent.key.type === 'Identifier') return parent.key.name
  return undefined
}
