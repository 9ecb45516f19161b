import { isJsonObject, parseJson, type JsonObject } from '../../lib/json.ts'

/**
 * llama.cpp before October 2025 writes an error of a stream into a field of its own, which the standard of event streams
 * has readers ignore (github.com/ggml-org/llama.cpp, tools/server/server.cpp: `server_sent_event(sink, "error", …)`).
 */
const ERROR_LINE = /^error:\s*(?=\{)/

/** The line; one with such an error as an event of the kind that the library reads, which keeps only the message. */
export function errorAsData(line: string): string {
  if (!ERROR_LINE.test(line)) return line
  try {
    const given = parseJson(line.replace(ERROR_LINE, ''))
    if (!isJsonObject(given)) return line
    const error = isJsonObject(given['error']) ? given['error'] : given
    return `data: ${JSON.stringify({ error: { ...error, message: messageOf(error) } })}`
  } catch {
    return line
  }
}

/** With the numbers of tokens, which stand beside it. */
function messageOf({ message, n_prompt_tokens, n_ctx }: JsonObject): string {
  const text = typeof message === 'string' ? message : 'an error without a message'
  if (typeof n_prompt_tokens !== 'number' || typeof n_ctx !== 'number') return text
  return `${text} (${JSON.stringify({ n_prompt_tokens, n_ctx })})`
}
