import type { LanguageModelV3, LanguageModelV3CallOptions, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { JsonSchema } from '../base/json.ts'
import type { LanguageModel, ModelFacts, ModelRequest, RequestMessage } from '../wrap/loop/index.ts'
import { readAnswer, type Dialect } from './answer.ts'
import { errorOfResponse, toModelError } from './errors.ts'
import { modelFetch } from './fetch.ts'
import { asParsedObject, type Fields } from './loose.ts'
import type { ModelAccess, ModelLimits } from './provider.ts'
import { PictureMarks } from './picture-marks.ts'
import { without, withAcceptedIds } from './refused-parts.ts'
import { sdkPrompt } from './sdk-prompt.ts'
import { merge } from './settings.ts'

interface ServedProvider {
  /** Returns the base URL of the API. Throws as `Provider.create` does. */
  readonly endpointOf: (access: ModelAccess) => string
  /** Writes and posts the request once. */
  readonly ask: (request: ModelRequest<RequestMessage>, at: Server) => Promise<Body>
  readonly dialect: (access: ModelAccess) => Dialect
  readonly advice?: string
  readonly inquire?: (access: ModelAccess, signal: AbortSignal) => Promise<ModelFacts>
}

type Body = ReadableStream<Uint8Array>

type RequestUrl = Parameters<typeof fetch>[0]

export interface Server {
  readonly access: ModelAccess
  readonly endpoint: string
  readonly marks: PictureMarks
  /** Throws `ProviderError` for a response without an answer. */
  readonly post: (url: RequestUrl, headers: RequestInit['headers'], body: Fields) => Promise<Body>
}

export const servedModel =
  ({ endpointOf, ask, dialect, advice = 'is the network up?', inquire }: ServedProvider) =>
  (access: ModelAccess, limits: ModelLimits): LanguageModel => {
    const endpoint = endpointOf(access)
    const send = modelFetch(access, limits)
    return {
      async *stream(request, caller) {
        const ending = new AbortController()
        const signal = AbortSignal.any([caller, ending.signal])
        const progress = { begun: false }
        let sent: Fields = {}
        const marks = new PictureMarks()
        const post: Server['post'] = async (url, headers, body) => {
          sent = without(merge(body, access.extraBody ?? {}), request.withoutFields ?? [])
          const text = await marks.fill(JSON.stringify(sent))
          const init = { method: 'POST', body: text, signal, ...(headers ? { headers } : {}) }
          const response = await send(url, init)
          if (!response.ok || !response.body) throw errorOfResponse(response, await response.text())
          progress.begun = true
          return response.body
        }
        try {
          const body = await ask(withAcceptedIds(request), { access, endpoint, marks, post })
          yield* readAnswer(body, dialect(access), progress)
        } catch (error) {
          caller.throwIfAborted()
          throw toModelError(error, { access, endpoint, advice }, progress.begun, sent, hasPictures(request))
        } finally {
          ending.abort()
        }
      },
      ...(inquire && !access.endpointIsWhole ? { inquire: (signal) => inquire(access, signal) } : {}),
    }
  }

const hasPictures = ({ pictures = [], messages }: ModelRequest<RequestMessage>): boolean =>
  pictures.length > 0 || messages.some((step) => step.role === 'tool' && (step.pictures ?? []).length > 0)

/** `apiKey` is empty if there is none. */
export interface SdkOptions {
  readonly baseURL: string
  readonly apiKey: string
  readonly fetch: typeof fetch
}

interface SdkProvider {
  /** Imports the SDK only when needed: the import takes longer than loading the rest of the server. */
  readonly load: (options: SdkOptions, access: ModelAccess) => Promise<LanguageModelV3>
  /** The model's settings by the provider's names. Undefined fields are not sent. */
  readonly settings: (access: ModelAccess, maxOutput: number, room?: string) => Fields
  /** Marks the ends of parts that stay the same between turns, for the provider's cache. */
  readonly cacheMark?: SharedV3ProviderOptions
  readonly picturesInResults?: (access: ModelAccess) => boolean
  /** Adds fields of earlier answers that the SDK omits. */
  readonly echo?: (body: Fields, request: ModelRequest<RequestMessage>) => Fields
  /** Adapts a tool's schema if the SDK does not accept every schema. */
  readonly schema?: (schema: JsonSchema) => JsonSchema
}

/**
 * Sends a request as an SDK writes it. Unlike `streamText`, `doStream` runs no tool and does not retry. The
 * SDK rejects a whole answer for one odd field, so it gets an empty answer; `readAnswer` reads the real one.
 */
export function askBySdk(provider: SdkProvider): ServedProvider['ask'] {
  const { echo = (body: Fields) => body } = provider
  const models = new WeakMap<ModelAccess, Promise<LanguageModelV3>>()
  // The SDK passes a request's signal to `fetch`, which finds the request's own `fetch` by this signal.
  const fetches = new WeakMap<AbortSignal, typeof fetch>()
  const fetchIt: typeof fetch = async (input, init) => {
    const own = init?.signal && fetches.get(init.signal)
    if (!own) throw new Error('the SDK asked without the signal of its request')
    return await own(input, init)
  }
  return async (request, { access, endpoint, marks, post }) => {
    let answer: Body | undefined
    const { signal } = new AbortController()
    fetches.set(signal, async (input, init) => {
      const written = echo(asParsedObject(init?.body), request)
      const body = merge(written, provider.settings(access, request.maxOutput, request.room))
      answer = await post(input, init?.headers, body)
      return new Response('')
    })
    // An empty key keeps the SDKs from reading a key from the environment.
    const options = { baseURL: endpoint, apiKey: access.apiKey ?? '', fetch: fetchIt }
    const model = models.get(access) ?? provider.load(options, access)
    models.set(access, model)
    await (await model).doStream({ ...callOptions(request, access, provider, marks), abortSignal: signal })
    if (!answer) throw new Error('the SDK sent no request')
    return answer
  }
}

const callOptions = (
  request: ModelRequest<RequestMessage>,
  access: ModelAccess,
  { cacheMark, picturesInResults, schema = (same) => same }: SdkProvider,
  marks: PictureMarks,
): LanguageModelV3CallOptions => ({
  prompt: sdkPrompt(request, marks, { cacheMark, picturesInResults: picturesInResults?.(access) ?? false }),
  maxOutputTokens: request.maxOutput,
  tools: request.tools.map((tool, index) => ({
    type: 'function',
    // The Responses API would otherwise make a schema strict, with all parameters required.
    strict: access.api === 'responses' ? false : undefined,
    name: tool.name,
    description: tool.description,
    inputSchema: schema(tool.parameters) as object,
    providerOptions: index === request.tools.length - 1 ? cacheMark : undefined,
  })),
  // The Responses API stores all input for 30 days unless `store` is false.
  providerOptions: access.api === 'responses' ? { openai: { store: false } } : undefined,
})
