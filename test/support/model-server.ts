import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { listenHere } from './listen.ts'
import { createWaiting } from './waiting.ts'

export interface RecordedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: ChatRequest
}

/** The parts of a chat-completions request that tests look at. */
export interface ChatRequest {
  readonly model: string
  readonly messages: readonly {
    readonly role: string
    readonly content: unknown
    readonly [key: string]: unknown
  }[]
  readonly tools?: readonly {
    readonly type: string
    readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown }
  }[]
  readonly [key: string]: unknown
}

export type Script = (response: ServerResponse, request: RecordedRequest) => void | Promise<void>

/** A local server that speaks the OpenAI chat-completions stream by a script, one entry a request. */
export type ModelServer = Awaited<ReturnType<typeof startModelServer>>

export async function startModelServer() {
  const requests: RecordedRequest[] = []
  const scripts: Script[] = []
  const { changed, until } = createWaiting()
  let beyond = status(418, 'the script is at its end')
  let aboutModels = status(404)
  let abandoned = 0

  const server = createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1
      changed()
    })
    const body = JSON.parse((await readAll(request)) || '{}') as ChatRequest
    const recorded = { path: request.url ?? '', headers: request.headers, body }
    if (/\/(models|props|show)$/.test(recorded.path)) return await aboutModels(response, recorded)
    requests.push(recorded)
    changed()
    const script = scripts.shift() ?? beyond
    await script(response, recorded)
  }

  const { origin, [Symbol.asyncDispose]: end } = await listenHere(server)

  return {
    /** `http://127.0.0.1:PORT`. */
    endpoint: origin,
    requests,
    /** What to do with the next requests; a request beyond the script is answered with status 418. */
    play: (...more: readonly Script[]) => void scripts.push(...more),
    /** What to do with requests beyond the script, in place of that, and with questions about models, which are no requests. */
    always(script: Script) {
      beyond = script
      aboutModels = script
    },
    arrived: async (count: number): Promise<void> => void (await until(() => requests.length >= count)),
    /** Resolves when a client has broken off a request that was not answered to its end. */
    abandoned: async (): Promise<void> => void (await until(() => abandoned > 0)),
    [Symbol.asyncDispose]: end,
  }
}

/** A piece of the stream: text, a part of a call, reasoning, or the end. */
export interface Piece {
  readonly text?: string
  readonly reasoning?: string
  readonly call?: {
    readonly index: number
    readonly id?: string
    readonly name?: string
    readonly arguments?: string
  }
}

/** An answer with these pieces, then a finish reason and usage. */
export function answer(
  pieces: readonly Piece[],
  end: {
    readonly reason?: string
    readonly usage?: readonly [input: number, output: number, cached?: number] | null
  } = {},
): Script {
  return (response) => {
    const reason = end.reason ?? (pieces.some((piece) => piece.call) ? 'tool_calls' : 'stop')
    const [input, output, cached] = end.usage ?? [11, 7]
    begin(response)
    for (const piece of pieces) send(response, chunk(deltaOf(piece)))
    send(response, chunk({}, reason))
    if (end.usage !== null) {
      const details = cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }
      const tokens = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
      const usage = { ...tokens, ...details }
      send(response, { ...chunk({}), choices: [], usage })
    }
    response.end('data: [DONE]\n\n')
  }
}

/** A text in pieces of one to a few characters. */
export const says = (...texts: readonly string[]): Script => answer(texts.map((text) => ({ text })))

/**
 * A text of `count` pieces, one every `everyMs`; `piece` makes each when it is sent. What a busy machine delays is sent
 * together afterwards, so that the pace is kept.
 */
export const streams =
  (count: number, everyMs: number, piece: (number: number) => string): Script =>
  async (response) => {
    begin(response)
    const start = performance.now()
    for (let sent = 0; sent < count && !response.destroyed; sent += 1) {
      const early = start + sent * everyMs - performance.now()
      if (early > 0) await pause(early)
      send(response, chunk({ content: piece(sent) }))
    }
    finish(response)
  }

/** One whole call, its arguments in two pieces. */
export function calls(name: string, args: unknown, id = 'call_a'): Script {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  const half = Math.floor(text.length / 2)
  return answer([
    { call: { index: 0, id, name, arguments: text.slice(0, half) } },
    { call: { index: 0, arguments: text.slice(half) } },
  ])
}

/** An error as OpenAI sends it. */
export const status =
  (code: number, message = `status ${code}`): Script =>
  (response) => {
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message, type: 'test', code: null } }))
  }

export const hang = (): Script => () => {}

/** Begins with these pieces and then falls silent. */
export const fallsSilent = (...texts: readonly string[]): Script =>
  beginsWith(
    texts.map((text) => ({ text })),
    () => undefined,
  )

/** Begins with one text, and says the other once it may. */
export const saysLater =
  (first: string, mayGoOn: Promise<void>, rest: string): Script =>
  async (response) => {
    begin(response)
    send(response, chunk({ content: first }))
    await mayGoOn
    send(response, chunk({ content: rest }))
    finish(response)
  }

/** Begins with these pieces and then breaks the connection. */
export const cut = (...pieces: readonly Piece[]): Script =>
  beginsWith(pieces, (response) => void setImmediate(() => response.socket?.destroy()))

/** Ends the stream properly as HTTP goes, but without a finish reason. */
export const endsEarly = (...pieces: readonly Piece[]): Script =>
  beginsWith(pieces, (response) => void response.end())

const beginsWith =
  (pieces: readonly Piece[], then: (response: ServerResponse) => void): Script =>
  (response) => {
    begin(response)
    for (const piece of pieces) send(response, chunk(deltaOf(piece)))
    then(response)
  }

export const raw =
  (body: string, contentType = 'text/event-stream'): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': contentType })
    response.end(body)
  }

/** Begins with `first`, and then sends `text` until the client leaves. */
export const floods =
  (text: string, first = ''): Script =>
  async (response) => {
    begin(response)
    if (first) response.write(first)
    const block = text.repeat(Math.ceil(BLOCK_BYTES / text.length))
    const closed = onceOf(response, 'close')
    while (!response.destroyed) {
      if (response.write(block)) await new Promise(setImmediate)
      else await Promise.race([onceOf(response, 'drain'), closed])
    }
  }

const BLOCK_BYTES = 64 * 1024

/** One token on one line that never ends. */
export const endlessToken = (): Script => floods('a', 'data: {"choices":[{"delta":{"content":"')

const onceOf = (response: ServerResponse, event: string): Promise<void> =>
  new Promise((resolve) => response.once(event, () => resolve()))

function begin(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function send(response: ServerResponse, value: unknown): void {
  response.write(`data: ${JSON.stringify(value)}\n\n`)
}

function finish(response: ServerResponse): void {
  send(response, chunk({}, 'stop'))
  response.end('data: [DONE]\n\n')
}

const chunk = (delta: unknown, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 0,
  model: 'test',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

function deltaOf({ text, reasoning, call }: Piece): unknown {
  if (call) {
    const { index, id, name, arguments: args } = call
    return {
      tool_calls: [
        { index, ...(id === undefined ? {} : { id, type: 'function' }), function: { name, arguments: args } },
      ],
    }
  }
  return reasoning === undefined ? { content: text } : { reasoning_content: reasoning }
}
