import { z } from 'zod'
import type { Access } from '../../words/tool-words.ts'
import { bytes } from '../../base/amounts.ts'
import { errorMessage } from '../../base/errors.ts'
import type { ToolContext, Tool } from '../../tools/index.ts'
import { failed, ok } from '../../tools/results/index.ts'
import type { McpServerConfig } from '../config.ts'
import { base64Length, isObject, RAW } from './message-reader.ts'
import type { McpDefinition } from './tool-list.ts'

/** Rejects with an `Error` whose message ends a sentence. */
export type CallTool = (
  definition: McpDefinition,
  args: Record<string, unknown>,
  context: Pick<ToolContext, 'signal' | 'progress'>,
) => Promise<{ readonly text: string; readonly isError: boolean }>

export function createMcpTool(
  config: McpServerConfig,
  id: string,
  definition: McpDefinition,
  call: CallTool,
): Tool {
  const { name, title, description, schema } = definition
  return {
    id,
    title,
    description: description === '' ? `${name}, a tool of the MCP server ${config.name}` : description,
    schema,
    access: accessOf(config, definition),
    async run(args, { signal, progress }) {
      try {
        const { text, isError } = await call(definition, isObject(args) ? args : {}, { signal, progress })
        const failure = `${id}: the server refused the call or could not do it\n${text}`
        const result = isError ? failed(failure) : ok(text)
        // Marks the server's text as outside data, also in an error.
        return { ...result, outside: { from: `server "${config.name}"`, head: isError ? 1 : 0, tail: 0 } }
      } catch (error) {
        signal.throwIfAborted()
        return failed(`${id}: ${errorMessage(error)}`)
      }
    },
  }
}

/** A child process has sshawl's rights on this machine. A server's claims count only if it is trusted. */
function accessOf({ reach, trust }: McpServerConfig, { readOnly, closedWorld }: McpDefinition): Access {
  const most = 'command' in reach ? 'execute' : 'network'
  if (trust === 'ask') return most
  if (readOnly) return 'read'
  return closedWorld ? 'write' : most
}

/** Converts a call's result, in any revision and form, to text: data as JSON, images and sounds by size. */
export function readResult(result: object): { readonly text: string; readonly isError: boolean } {
  const raw: unknown = Reflect.get(result, RAW)
  // `toolResult` belongs to revision 2024-10-07.
  const given: Record<string, unknown> = isObject(raw) ? raw : { content: raw }
  const { content, structuredContent = given['toolResult'], isError } = given
  const blocks = [content].flat().filter((one) => one !== undefined && one !== null)
  const parts = blocks.map((one: unknown) => textOfBlock(one))
  const hasText = blocks.some((one: unknown) => !isObject(one) || (one['type'] ?? 'text') === 'text')
  if (structuredContent !== undefined && !hasText) parts.push(JSON.stringify(structuredContent, undefined, 1))
  return { text: parts.join('\n'), isError: isError === true || isError === 'true' }
}

const mimeType = z.string().default('no type')
const uri = z.string().default('?')
const block = z.union([
  z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([
      z.object({ uri, mimeType, text: z.string() }),
      z.object({ uri, mimeType, blob: z.string() }),
    ]),
  }),
  z.object({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
  }),
])

/** Text may lack its block or type, and may be any JSON. */
function textOfBlock(value: unknown): string {
  const { type = 'text', text = '' } = isObject(value) ? value : { text: value }
  if (type === 'text') return typeof text === 'string' ? text : JSON.stringify(text)
  const { data } = block.safeParse(value)
  switch (data?.type) {
    case 'image':
    case 'audio':
      return `[${data.type}: ${data.mimeType}, ${sizeOf(data.data)}]`
    case 'resource': {
      const { resource } = data
      const shown = `resource ${resource.uri}, ${resource.mimeType}`
      return 'text' in resource ? `[${shown}]\n${resource.text}` : `[${shown}, ${sizeOf(resource.blob)}]`
    }
    case 'resource_link':
      return `[link to ${[data.name, data.uri, data.description].filter(Boolean).join(': ')}]`
    case undefined:
      return '[something that this version cannot read]'
  }
}

const sizeOf = (base64: string): string => bytes(Math.floor((base64Length(base64) * 3) / 4))
