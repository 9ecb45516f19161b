import type { AuthContext, KeyboardAuthContext, PublicKeyAuthContext } from 'ssh2'
import type { InviteRefusal } from '../../chat/errors.ts'
import type { OfferedKey } from '../../session/ports.ts'

/** What became of a login: `gone` if the client hung up, or asked for something else meanwhile. */
export type LoginOutcome = 'in' | 'gone' | 'refused' | InviteRefusal

export interface CodePromptOptions {
  /** Tries a key with the code that somebody typed, or the key alone if it needs none. */
  tryCode(
    attempt: KeyboardAuthContext,
    key: OfferedKey,
    code: string | undefined,
    isAborted: () => boolean,
  ): Promise<LoginOutcome>
  /** A key was proven that nobody has: its owner may take their time now. */
  onUnknownKey(): void
  /** Resolves when a wrong code may be answered. */
  afterWrongCode(): Promise<void>
}

/** How many codes one connection may try. */
const MAX_CODES = 3

const PROMPT = 'invite code: '
const HOW =
  'Your key does not open this name. If you have an invite code of somebody who is here, enter it; it makes the name yours.'

/** Asks the owner of a key that nobody has for an invite code: one prompt for each connection before its login. */
export class CodePrompt {
  readonly #options: CodePromptOptions
  #unknownKey: OfferedKey | undefined
  #tried = 0
  /** False if the plain key would be accepted and was rejected only to make the client offer its certificate. */
  #needsCode = true
  /** Why a right code did not help, to be said once. */
  #advice: string | undefined

  constructor(options: CodePromptOptions) {
    this.#options = options
  }

  reject(attempt: AuthContext, isPartial = false): void {
    attempt.reject(this.#canAsk() ? ['publickey', 'keyboard-interactive'] : ['publickey'], isPartial)
  }

  /** True for the key that a code would be for: it was proven, and without a certificate it says nothing new. */
  isFor({ fingerprint, isCertified }: OfferedKey): boolean {
    return !isCertified && this.#unknownKey?.fingerprint === fingerprint
  }

  /** Answers a proven key that cannot come in as it is. */
  async rejectKey(attempt: PublicKeyAuthContext, key: OfferedKey, refusal: InviteRefusal): Promise<void> {
    if (refusal.reason === 'wrong-code') {
      await this.#options.afterWrongCode()
      return this.reject(attempt)
    }
    const isFirst = this.#unknownKey === undefined
    this.#unknownKey ??= key
    // A client offers the certificate of a key after the key itself, and asks for a code after all keys.
    if (refusal.reason === 'later') {
      this.#needsCode = !isFirst && this.#needsCode
      return this.reject(attempt)
    }
    if (refusal.reason === 'no-name') this.#advice = adviceFor(refusal)
    if (isFirst) this.#options.onUnknownKey()
    // After partial success a client begins with its keys again, so only the first key has it.
    this.reject(attempt, isFirst)
  }

  /** Answers a client that wants to be asked. */
  ask(attempt: KeyboardAuthContext): void {
    const key = this.#unknownKey
    if (!key || !this.#canAsk()) return this.reject(attempt)
    if (this.#advice !== undefined) return this.#advise(attempt, this.#advice)
    if (!this.#needsCode) {
      this.#tried = MAX_CODES
      return void this.#check(attempt, key)
    }
    this.#tried++
    attempt.prompt([{ prompt: PROMPT, echo: true }], '', this.#tried === 1 ? HOW : '', (answers) => {
      // ssh2 gives an Error here if the client asks for something else, and its types do not say so.
      if (Array.isArray(answers)) void this.#check(attempt, key, answers[0] ?? '')
    })
  }

  #canAsk(): boolean {
    return this.#unknownKey !== undefined && (this.#tried < MAX_CODES || this.#advice !== undefined)
  }

  async #check(attempt: KeyboardAuthContext, key: OfferedKey, code?: string): Promise<void> {
    let isAborted = false
    attempt.once('abort', () => (isAborted = true))
    const outcome = await this.#options.tryCode(attempt, key, code, () => isAborted)
    if (outcome === 'in' || outcome === 'gone') return
    if (outcome !== 'refused' && outcome.reason === 'no-name')
      return this.#advise(attempt, adviceFor(outcome))
    if (code !== undefined) await this.#options.afterWrongCode()
    if (!isAborted) this.reject(attempt)
  }

  /** Text without a question: a client shows it, and answers with nothing. */
  #advise(attempt: KeyboardAuthContext, text: string): void {
    this.#advice = undefined
    this.#tried = MAX_CODES
    attempt.prompt([], '', text, () => this.reject(attempt))
  }
}

const adviceFor = ({ message }: InviteRefusal): string =>
  `The code is right and was not used up, but ${message}.`
