/** What a server sends, and what is right to make of it. Nothing is said of what a case leaves out. */
export interface Case {
  readonly name: string
  /** As an event stream, for Ollama as lines. */
  readonly events?: readonly object[]
  /** The whole body, if `events` cannot write it. */
  readonly bytes?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly apiKey?: string
  readonly text?: string
  readonly thinking?: string
  readonly calls?: readonly string[]
  /** How it ends; `stop` if absent. */
  readonly end?: object
}

export const CALLS = { type: 'finish', reason: 'calls' }

export const LENGTH = { type: 'finish', reason: 'length' }

export const failure = (message: string | RegExp, retryable = false) => ({
  name: 'ModelError',
  message: typeof message === 'string' ? `qwen: ${message}` : message,
  retryable,
})

export const CUT = failure('the answer was cut off in the middle; ask again', true)

export const reported = (message: string, retryable = false) =>
  failure(`the provider reported: ${message}`, retryable)

/** An event stream of these events. */
export const sse = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

export const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')
