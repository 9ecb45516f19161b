import { linesOf } from './lines.ts'

/**
 * The keys of a usage in the chat-completions format. In a text of an answer their quotes would be escaped, so that
 * these words stand for themselves nowhere else.
 */
const NUMBER_AS_TEXT =
  /"(prompt_tokens|completion_tokens|total_tokens|cached_tokens|reasoning_tokens)":\s{0,9}"(\d{1,15})"/g

/** A usage that is no object, which the library refuses with the whole answer. Within a text its quotes would be escaped. */
const USAGE_WITHOUT_COUNTS =
  /"usage":\s{0,9}(?:"(?:[^"\\]|\\.){0,1000}"|-?[\d.eE+-]{1,30}|true|false|\[[^\]]{0,1000}\])/g

/** Counts that are no numbers. They become one that cannot be, since the library takes null for 0. */
const COUNT_WITHOUT_NUMBER =
  /"(prompt_tokens|completion_tokens|total_tokens|cached_tokens|reasoning_tokens)":\s{0,9}(?:"(?:[^"\\]|\\.){0,1000}"|true|false)/g

/**
 * `fetch` for servers that report tokens as text (`"prompt_tokens": "12"`), or something else that is
 * no count, which is left out: the library refuses such a stream as a whole.
 * Each line of an event stream is passed on when it is whole, which is when the library reads it.
 */
export function readingUsage(fetchIt: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await fetchIt(input, init)
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (!response.body || !isStream) return response
    return new Response(ReadableStream.from(withNumbers(response.body)), response)
  }
}

async function* withNumbers(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const line of linesOf(body)) yield encoder.encode(`${mended(line)}\n`)
}

const mended = (line: string): string =>
  line
    .replace(NUMBER_AS_TEXT, '"$1":$2')
    .replace(COUNT_WITHOUT_NUMBER, '"$1":-1')
    .replace(USAGE_WITHOUT_COUNTS, '"usage":null')
