import type {
  LanguageModelV3FilePart,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { JsonObject } from '../base/json.ts'
import type { Picture } from '../words/picture.ts'
import { systemAndUser } from '../wrap/index.ts'
import type { ModelRequest, RequestMessage } from '../wrap/loop/index.ts'
import { asParsedObject } from './loose.ts'
import type { PictureMarks } from './picture-marks.ts'

/**
 * Converts a request to the AI SDK's prompt. `cacheMark` is put on the system message, the last block of the
 * conversation, and the newest result of the turn. Pictures of results stay in the results if the provider
 * takes `picturesInResults`; else a user message with them follows the step. Pictures are only `marks`.
 */
export function sdkPrompt(
  { prompt, messages, pictures = [], withoutSystemRole = false }: ModelRequest<RequestMessage>,
  marks: PictureMarks,
  { cacheMark, picturesInResults = false }: SdkPromptOptions = {},
): LanguageModelV3Prompt {
  const { system, user } = systemAndUser(prompt, withoutSystemRole)
  const mark = cacheMark ? { providerOptions: cacheMark } : {}
  const blocks = cacheMark ? cacheableBlocks(user, prompt.stablePrefix ?? 0) : []
  const rest = user.slice(blocks.join('').length)
  const content = [...blocks, rest].map((text, index) => {
    return { type: 'text' as const, text, ...(index === blocks.length - 1 ? mark : {}) }
  })
  return [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system, ...mark }]),
    { role: 'user', content: [...content, ...pictures.map((one) => filePart(one, marks))] },
    ...messages.flatMap((message, index) => {
      const marked = {
        ...sdkMessage(message, marks, picturesInResults),
        ...(index === messages.length - 1 ? mark : {}),
      }
      const seen = picturesInResults ? [] : picturesOfStep(messages, index)
      return seen.length === 0
        ? marked
        : [marked, { role: 'user' as const, content: seen.map((one) => filePart(one, marks)) }]
    }),
  ]
}

export interface SdkPromptOptions {
  readonly cacheMark?: SharedV3ProviderOptions | undefined
  readonly picturesInResults?: boolean
}

const filePart = (picture: Picture, marks: PictureMarks): LanguageModelV3FilePart => ({
  type: 'file',
  mediaType: picture.type,
  data: marks.add(picture),
})

/** Returns all pictures of a step's results if `last` is its last result; else none. */
export function picturesOfStep(messages: readonly RequestMessage[], last: number): readonly Picture[] {
  if (messages[last]?.role !== 'tool' || messages[last + 1]?.role === 'tool') return []
  const first = messages.slice(0, last).findLastIndex(({ role }) => role !== 'tool') + 1
  return messages
    .slice(first, last + 1)
    .flatMap((step) => (step.role === 'tool' ? (step.pictures ?? []) : []))
}

const BLOCK_CHARS = 4096

/**
 * Returns the whole blocks of the stable prefix. A provider's cache finds a prefix only at the end of an
 * earlier block, so block ends must not move while the prefix grows.
 */
function cacheableBlocks(text: string, stablePrefix: number): readonly string[] {
  const blocks: string[] = []
  for (let start = 0; ;) {
    const end = text.indexOf('\n', start + BLOCK_CHARS) + 1
    if (end === 0 || end > stablePrefix || end === text.length) return blocks
    blocks.push(text.slice(start, end))
    start = end
  }
}

function sdkMessage(
  step: RequestMessage,
  marks: PictureMarks,
  picturesInResults: boolean,
): LanguageModelV3Message {
  switch (step.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: step.text }] }
    case 'tool': {
      const { call: toolCallId, name: toolName, content: value } = step
      const pictures = picturesInResults ? (step.pictures ?? []) : []
      const images = pictures.map((picture) => {
        return { type: 'image-data' as const, mediaType: picture.type, data: marks.add(picture) }
      })
      const output =
        images.length === 0
          ? { type: 'text' as const, value }
          : { type: 'content' as const, value: [{ type: 'text' as const, text: value }, ...images] }
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
    }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(step.thoughts ?? []).map(({ text, providerData }) => ({
            type: 'reasoning' as const,
            text,
            ...optionsOf(providerData),
          })),
          ...(step.text === ''
            ? []
            : [{ type: 'text' as const, text: step.text, ...optionsOf(step.providerData) }]),
          ...step.calls.map(({ id, name, arguments: args, providerData }) => ({
            // Providers refuse a history with arguments that are not a JSON object; invalid ones become `{}`.
            type: 'tool-call' as const,
            toolCallId: id,
            toolName: name,
            input: asParsedObject(args),
            ...optionsOf(providerData),
          })),
        ],
      }
  }
}

const optionsOf = (data: JsonObject | undefined): { providerOptions?: SharedV3ProviderOptions } =>
  data ? { providerOptions: data as SharedV3ProviderOptions } : {}
