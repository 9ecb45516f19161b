// What `sshawl mcp import` reads: the files in which other programs (MCP clients) keep their MCP servers, and what becomes of one as `[[mcp]]`. These
// write nothing, and know nothing of a server that runs.
import JSON5 from 'json5'
import { z } from 'zod'
import { ConfigError } from '../../../config/problem.ts'
import { errorMessage } from '../../../lib/errors.ts'

/** No program can be given a NUL, and no terminal should be shown the others. Blanks and ends of lines are text. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/

const text = z.string().refine((written) => !CONTROL.test(written), {
  error: ({ input }) => `has the control character ${codeOf(input)} in it; write it without`,
})

/** `U+0000` */
const codeOf = (written: unknown): string =>
  `U+${(CONTROL.exec(String(written))?.[0].charCodeAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

const word = z.union([text, z.number(), z.boolean()]).transform(String)
const texts = z.record(text, word)

/** A server as an MCP client writes it. All other keys are its own business. */
const clientServer = z
  .object({
    type: text.optional(),
    command: z.union([text, z.array(text)]).optional(),
    args: z.array(word).default([]),
    env: texts.default({}),
    cwd: text.optional(),
    envFile: text.optional(),
    url: text.optional(),
    headers: texts.default({}),
    disabled: z.boolean().optional(),
    enabled: z.boolean().optional(),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    message: 'give it either a command or a url',
  })
  .refine(({ type }) => type === undefined || KINDS.includes(type.toLowerCase()), {
    path: ['type'],
    message: 'only stdio, http and sse are known',
  })

/** One server of a file. */
export type ClientServer = z.output<typeof clientServer>

/** The ways to say stdio, streamable HTTP and server-sent events. A client of ours finds out which of the last two it is. */
const KINDS: readonly string[] = [
  'stdio',
  'local',
  'http',
  'streamable-http',
  'streamablehttp',
  'remote',
  'sse',
]

/** Under which keys MCP clients keep their servers: the most of them, VS Code, its settings, Zed. */
const PLACES: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['context_servers'],
]

/** Other words of MCP clients for an address. */
const ADDRESS_KEYS = ['httpUrl', 'serverUrl'] as const

/** The servers of a file, by the names that they have there. `file` is for messages. Throws `ConfigError` with all problems. */
export function readClientConfig(text: string, file: string): ReadonlyMap<string, ClientServer> {
  const [place, servers] = serversIn(jsonOf(text, file), file)
  const problems: string[] = []
  const read = new Map<string, ClientServer>()
  for (const [name, written] of Object.entries(servers)) {
    const { data, error } = clientServer.safeParse(withUrl(written))
    if (data) read.set(name, data)
    for (const { path, message } of error?.issues ?? [])
      problems.push(`${file}: ${[place, name, ...path.map(String)].join('.')}: ${message}`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  if (read.size === 0) throw new ConfigError([`${file}: ${place} has no server in it`])
  return read
}

/** JSON, also with comments and commas at the end, as editors keep it. */
function jsonOf(text: string, file: string): unknown {
  if (text.trim() === '') throw new ConfigError([`${file}: it is empty`])
  try {
    return JSON5.parse(text)
  } catch (error) {
    const what = errorMessage(error).replace(/^JSON5: /, '')
    throw new ConfigError([`${file}: not JSON: ${what}`])
  }
}

function serversIn(json: unknown, file: string): readonly [place: string, servers: object] {
  for (const path of PLACES) {
    const found = path.reduce<unknown>(
      (value, key) => (isObject(value) ? Reflect.get(value, key) : undefined),
      json,
    )
    if (isObject(found)) return [path.join('.'), found]
  }
  throw new ConfigError([
    `${file}: there are no MCP servers in it: it should have { "mcpServers": { "name": { "command": … } } }, or "servers" as VS Code writes it`,
  ])
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function withUrl(written: unknown): unknown {
  if (!isObject(written)) return written
  const key = ADDRESS_KEYS.find((one) => one in written)
  return key === undefined || 'url' in written ? written : { ...written, url: Reflect.get(written, key) }
}
