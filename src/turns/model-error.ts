import type { Json } from '../lib/json.ts'

/** Why a provider took no answer in hand, where a different request may succeed. Nothing of an answer was sent. */
export type ModelRefusal =
  /** The prompt was too long. Tokens, each absent where the provider does not tell. */
  | {
      readonly kind: 'too-long'
      /** Of the prompt, as the provider counts it. */
      readonly tokens?: number
      /** Of the prompt and of the answer that was asked for, as the provider counts them. */
      readonly total?: number
      /** Prompt and answer together. */
      readonly window?: number
      /** True where the same prompt may be taken at another moment: what others ask at this one counts too. */
      readonly isPassing?: boolean
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
  /** True where the answer broke off after the provider had begun it: then it has read the prompt, which costs. */
  readonly begun: boolean
  constructor(
    message: string,
    retryable: boolean,
    facts: ModelError['facts'] = {},
    {
      refusal,
      retryAfterMs,
      begun = false,
    }: Partial<Pick<ModelError, 'refusal' | 'retryAfterMs' | 'begun'>> = {},
  ) {
    super(message)
    this.begun = begun
    this.retryable = retryable
    this.facts = facts
    if (refusal) this.refusal = refusal
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}
