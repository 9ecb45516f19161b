import type { AuthContext, KeyboardAuthContext, PublicKeyAuthContext } from 'ssh2'
import type { InviteRefusal } from '../words/errors.ts'
import type { OfferedKey } from '../terminal/index.ts'

/** The outcome of a login: `gone` if the client disconnected or started another authentication request. */
export type LoginOutcome = 'in' | 'gone' | 'refused' | InviteRefusal

export interface CodePromptOptions {
  /** Tries to log in with a key and the typed code, or with the key alone if it needs no code. */
  tryCode(
    attempt: KeyboardAuthContext,
    key: OfferedKey,
    code: string | undefined,
    isAborted: () => boolean,
  ): Promise<LoginOutcome>
  /** Called when an unknown key was proven: its owner may now take their time to type a code. */
  onUnknownKey(): void
  /** Resolves when the delay after a wrong code is over. */
  afterWrongCode(): Promise<void>
}

const MAX_CODES = 3

const PROMPT = 'invite code: '
const HOW = 'This server needs an invite code. Ask somebody who is here for one, and enter it:'
const AGAIN = 'That code is wrong, used up or expired. Enter another one:'

/** Asks the owner of an unknown key for an invite code. At most one key per connection is asked. */
export class CodePrompt {
  readonly #options: CodePromptOptions
  #unknownKey: OfferedKey | undefined
  #tried = 0
  /** False if the key would be accepted and was rejected only to make the client offer its other ones. */
  #needsCode = true
  /** The reason why a right code did not help, to be shown once. */
  #advice: string | undefined

  constructor(options: CodePromptOptions) {
    this.#options = options
  }

  reject(attempt: AuthContext, isPartial = false): void {
    attempt.reject(this.#canAsk() ? ['publickey', 'keyboard-interactive'] : ['publickey'], isPartial)
  }

  /** True for the key that waits for a code. It is proven already, so accepting it again reveals nothing. */
  isWaitingFor(key: OfferedKey): boolean {
    return this.#needsCode && this.#isUnknown(key)
  }

  /** True for a key that would be accepted, offered again after all other keys of the client. */
  isLast(key: OfferedKey): boolean {
    return !this.#needsCode && this.#isUnknown(key)
  }

  /** Answers a proven key that cannot log in without a code. */
  async rejectKey(attempt: PublicKeyAuthContext, key: OfferedKey, refusal: InviteRefusal): Promise<void> {
    if (refusal.reason === 'wrong-code') {
      await this.#options.afterWrongCode()
      return this.reject(attempt)
    }
    const isFirst = this.#unknownKey === undefined
    this.#unknownKey ??= key
    if (refusal.reason === 'no-name') this.#advice = adviceFor(refusal)
    if (isFirst && refusal.reason === 'later') this.#needsCode = false
    else if (isFirst) this.#options.onUnknownKey()
    // After partial success OpenSSH offers its other keys and then this one again, also in BatchMode. Only
    // the first key gets partial success, or the loop would never end.
    this.reject(attempt, isFirst)
  }

  /** Answers a client that chose keyboard-interactive. */
  ask(attempt: KeyboardAuthContext): void {
    const key = this.#unknownKey
    if (!key || !this.#canAsk()) return this.reject(attempt)
    if (this.#advice !== undefined) return this.#advise(attempt, this.#advice)
    if (!this.#needsCode) {
      this.#tried = MAX_CODES
      return void this.#check(attempt, key)
    }
    this.#tried++
    attempt.prompt([{ prompt: PROMPT, echo: true }], '', this.#tried === 1 ? HOW : AGAIN, (answers) => {
      // ssh2 passes an Error, against its types, if the client starts another authentication request.
      if (Array.isArray(answers)) void this.#check(attempt, key, answers[0] ?? '')
    })
  }

  #isUnknown({ fingerprint, isCertified }: OfferedKey): boolean {
    return !isCertified && this.#unknownKey?.fingerprint === fingerprint
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

  /** Shows a text without a question, to which the client answers with nothing. */
  #advise(attempt: KeyboardAuthContext, text: string): void {
    this.#advice = undefined
    this.#tried = MAX_CODES
    attempt.prompt([], '', text, () => this.reject(attempt))
  }
}

const adviceFor = ({ message }: InviteRefusal): string =>
  `The code is right and was not used up, but ${message}.`
