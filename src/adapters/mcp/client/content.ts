import { z } from 'zod'
import { bytes } from '../../../lib/bytes.ts'
import { base64Length } from './paced.ts'

/** What a call of a tool gives, of any version of the protocol, and in the forms that servers give it. */
export const callResult = z
  .object({
    content: z.unknown().optional().transform(blocksIn),
    structuredContent: z.unknown().optional(),
    // Of the revision of 2024-10-07.
    toolResult: z.unknown().optional(),
    isError: z
      .unknown()
      .optional()
      .transform((value) => value === true || value === 'true'),
  })
  .transform(({ toolResult, structuredContent = toolResult, ...rest }) => ({ ...rest, structuredContent }))

/** One block may come without its list, a text without its block or its type. */
function blocksIn(content: unknown): readonly unknown[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content]
  return blocks.flatMap((one) => {
    if (one === undefined || one === null) return []
    if (typeof one === 'string') return [{ type: 'text', text: one }]
    if (typeof one !== 'object') return [{ type: 'text', text: JSON.stringify(one) }]
    const { type = 'text', text: said }: { type?: unknown; text?: unknown } = one
    if (type !== 'text' || said === undefined || typeof said === 'string') return [{ ...one, type }]
    return [{ type, text: JSON.stringify(said) }]
  })
}

const mimeType = z.string().default('no type')
const text = z.object({ type: z.literal('text'), text: z.string().default('') })
const media = z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType })
const resource = z.object({
  type: z.literal('resource'),
  resource: z.union([
    z.object({ uri: z.string().default('?'), mimeType, text: z.string() }),
    z.object({ uri: z.string().default('?'), mimeType, blob: z.string() }),
  ]),
})
const link = z.object({
  type: z.literal('resource_link'),
  uri: z.string(),
  name: z.string().optional(),
  description: z.string().optional(),
})
const block = z.union([text, media, resource, link])

/**
 * A result as a text that a model and people can read: texts as they are, what is only structured as JSON, resources
 * with their address; images and sounds are described, since nobody here can read their bytes.
 */
export function textOf({ content, structuredContent }: z.output<typeof callResult>): string {
  const parts = content.map((one) => blockText(one))
  const hasText = content.some((one) => text.safeParse(one).success)
  if (structuredContent !== undefined && !hasText) parts.push(JSON.stringify(structuredContent, undefined, 1))
  return parts.join('\n')
}

function blockText(value: unknown): string {
  const { data } = block.safeParse(value)
  switch (data?.type) {
    case 'text':
      return data.text
    case 'image':
    case 'audio':
      return `[${data.type}: ${data.mimeType}, ${sizeOf(data.data)}]`
    case 'resource': {
      const shown = `resource ${data.resource.uri}, ${data.resource.mimeType}`
      return 'text' in data.resource
        ? `[${shown}]\n${data.resource.text}`
        : `[${shown}, ${sizeOf(data.resource.blob)}]`
    }
    case 'resource_link':
      return `[link to ${[data.name, data.uri, data.description].filter(Boolean).join(': ')}]`
    case undefined:
      return '[something that this version cannot read]'
  }
}

/** Of bytes in base64. */
const sizeOf = (base64: string): string => bytes(Math.floor((base64Length(base64) * 3) / 4))
