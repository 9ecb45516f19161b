import type { JsonSchema } from '../../../../lib/json.ts'

/**
 * Arguments that a tool's schema marks to be sent as headers, too, so that what stands before the server can read them (revision
 * 2026-07-28 of the protocol, Streamable HTTP, "Custom Headers from Tool Parameters"). Over other transports they mean nothing.
 */
export interface HeaderArgument {
  /** Names of properties, from the arguments on. */
  readonly path: readonly string[]
  /** Of the header, without its prefix. */
  readonly name: string
}

/** What a schema marks, or why its marks are wrong; such a tool must not be used over HTTP. */
export function readHeaderArguments(
  schema: JsonSchema,
): readonly HeaderArgument[] | { readonly why: string } {
  const found: HeaderArgument[] = []
  const taken = new Set<string>()
  for (const { path, name, type } of marksIn(schema, [])) {
    if (path === undefined || path.length === 0)
      return { why: `its schema has ${MARK} where no argument always is` }
    if (typeof name !== 'string' || !TOKEN.test(name))
      return { why: `its schema has an ${MARK} that no header can be called` }
    if (typeof type !== 'string' || !TYPES.includes(type))
      return { why: `its schema has ${MARK} at what is no string, integer or boolean` }
    if (taken.has(name.toLowerCase())) return { why: `its schema has an ${MARK} twice` }
    taken.add(name.toLowerCase())
    found.push({ path, name })
  }
  return found
}

/** The headers for a call with these arguments; one that is absent, or that no header can hold, has none. */
export function headersFor(schema: JsonSchema, args: object): Readonly<Record<string, string>> {
  const marked = readHeaderArguments(schema)
  if ('why' in marked) return {}
  return Object.fromEntries(
    marked.flatMap(({ path, name }) => {
      const text = textOf(path.reduce<unknown>(propertyOf, args))
      return text === undefined ? [] : [[`Mcp-Param-${name}`, encoded(text)]]
    }),
  )
}

const MARK = 'x-mcp-header'
const TYPES: readonly string[] = ['string', 'integer', 'boolean']

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/

/** Values, and no schemas. */
const DATA: readonly string[] = ['const', 'default', 'enum', 'examples']

interface Mark {
  /** Undefined below what is no plain property. */
  readonly path: readonly string[] | undefined
  readonly name: unknown
  readonly type: unknown
}

function* marksIn(value: unknown, path: readonly string[] | undefined): Iterable<Mark> {
  if (Array.isArray(value)) for (const one of value) yield* marksIn(one, undefined)
  if (!isObject(value)) return
  if (MARK in value) yield { path, name: value[MARK], type: value['type'] }
  for (const [key, child] of Object.entries(value)) {
    if (key !== 'properties' && !DATA.includes(key)) yield* marksIn(child, undefined)
    if (key !== 'properties' || !isObject(child)) continue
    for (const [name, one] of Object.entries(child)) yield* marksIn(one, path && [...path, name])
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const propertyOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  const isTold = typeof value === 'boolean' || Number.isSafeInteger(value)
  return isTold ? String(value) : undefined
}

/** As it is where a header carries it unchanged, else in base64 with marks around it. */
const encoded = (text: string): string =>
  /^[!-~](?:[\t -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
