/** What a server sends, and what is right to make of it. */
export type Case = readonly [
  name: string,
  /** Events of a stream (lines for Ollama), one JSON, or the whole body. */
  sent: readonly object[] | object | string,
  /** The text `ok` if absent. */
  read?: Reading,
  response?: Response,
]

export interface Reading {
  readonly text?: string
  readonly thinking?: string
  readonly calls?: readonly string[]
  /** How the answer ends; `calls` after calls and `stop` after a text if absent. */
  readonly end?: object
}

export interface Response {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly apiKey?: string
}

export const LENGTH = { type: 'finish', reason: 'length' }

export const failure = (message: string | RegExp, retryable = false) => ({
  name: 'ModelError',
  message: typeof message === 'string' ? `qwen: ${message}` : message,
  retryable,
})

export const CUT = failure('the answer was cut off in the middle; ask again', true)

export const NO_ANSWER = failure(/something that is not a model's answer$/, true)

export const reported = (message: string, retryable = false) =>
  failure(`the provider reported: ${message}`, retryable)

/** An event stream of these events. */
export const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

export const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')
