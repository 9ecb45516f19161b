import { z } from 'zod'
import { bytes } from '../../../lib/bytes.ts'

/** What a call of a tool gives, of any version of the protocol. */
export const callResult = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().default(false),
})

const text = z.object({ type: z.literal('text'), text: z.string() })
const media = z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string() })
const resource = z.object({
  type: z.literal('resource'),
  resource: z.union([
    z.object({ uri: z.string(), mimeType: z.string().optional(), text: z.string() }),
    z.object({ uri: z.string(), mimeType: z.string().optional(), blob: z.string() }),
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
      const { uri, mimeType = 'no type' } = data.resource
      const shown = `resource ${uri}, ${mimeType}`
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
const sizeOf = (base64: string): string => bytes(Math.floor((base64.length * 3) / 4))
