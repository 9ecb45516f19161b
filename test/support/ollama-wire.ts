import type { Script } from './model-server.ts'
import type { Wire } from './hosted-wires.ts'

/** Lines of JSON, each with a line end, as Ollama streams them. */
export const jsonLines =
  (...lines: readonly object[]): Script =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  }

/** A JSON answer with this status. */
export const json =
  (value: unknown, status = 200): Script =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }

export const part = (message: object): object => ({
  model: 'qwen3:8b',
  created_at: '2026-11-01T10:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
})

export const end = (input: number, output: number, reason = 'stop'): object => ({
  ...part({}),
  ...{ done: true, done_reason: reason, prompt_eval_count: input, eval_count: output },
})

/** Ollama's own chat API. */
export const ollamaWire: Wire = {
  says: (text) => jsonLines(part({ content: text }), end(26, 3)),
  calls: (name, args) =>
    jsonLines(part({ tool_calls: [{ function: { name, arguments: args } }] }), end(26, 3)),
}
