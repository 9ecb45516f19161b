import type { Json } from '../lib/json.ts'

/** Why a provider took no answer in hand, where a different request may succeed. Nothing of an answer was sent. */
export type ModelRefusal =
  /** The prompt was too long. Tokens, each absent where the provider does not tell. */
  | {
      readonly kind: 'too-long'
      /** Of the prompt, as the provider counts it. */
      readonly tokens?: number
      /** Prompt and answer together. */
      readonly window?: number
    }
  /** The model, or its server, takes no tools, or no system message. */
  | { readonly kind: 'no-tools' | 'no-system-role' }

/** The provider failed. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  /** True only where the same request may succeed later. */
  readonly retryable: boolean
  /** Facts for the log, such as the status and the beginning of the body. They are never shown in the room. */
  readonly facts: { readonly [key: string]: Json }
  /** Present where another request may be taken. */
  readonly refusal?: ModelRefusal
  /** Milliseconds until the same request may succeed, where the provider says so. */
  readonly retryAfterMs?: number
  constructor(
    message: string,
    retryable: boolean,
    facts: ModelError['facts'] = {},
    { refusal, retryAfterMs }: Pick<ModelError, 'refusal' | 'retryAfterMs'> = {},
  ) {
    super(message)
    this.retryable = retryable
    this.facts = facts
    if (refusal) this.refusal = refusal
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}
