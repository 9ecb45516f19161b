import type { KeyboardAuthContext, PublicKeyAuthContext } from 'ssh2'
import type { InviteRefusal } from '../../chat/errors.ts'
import type { OfferedKey } from '../../session/ports.ts'

/** Asks the owner of a key that nobody has for an invite code: one for each connection before its login. */
export interface CodeLogin {
  /**
   * True for the key that a code would be for: it was proven once, and without a certificate more of it says
   * nothing new.
   */
  isFor(key: OfferedKey): boolean
  /** Answers a proven key that cannot come in as it is. */
  refuseKey(attempt: PublicKeyAuthContext, key: OfferedKey, refusal: InviteRefusal): Promise<void>
  /** Answers the client that wants to be asked. */
  ask(attempt: KeyboardAuthContext): void
  /** The methods that can go on. */
  methods(): Method[]
}

type Method = 'publickey' | 'keyboard-interactive'

/** What it does with a code. */
export interface CodeLoginParts {
  /**
   * Tries the code that somebody typed for their key, or the key alone where it needs none. Lets them in by
   * itself and gives nothing then, or says why not. `isAnswered` turns true when the client asks for
   * something else meanwhile.
   */
  readonly enter: (
    attempt: KeyboardAuthContext,
    key: OfferedKey,
    code: string | undefined,
    isAnswered: () => boolean,
  ) => Promise<InviteRefusal | 'refused' | undefined>
  /** A key was proven that nobody has: its owner may take their time now. */
  readonly onStranger: () => void
  /** Resolves when a wrong code may be answered. */
  readonly afterWrongCode: () => Promise<void>
}

/** How many codes one connection may try. */
const MAX_CODES = 3

const PROMPT = 'invite code: '
const HOW =
  'Your key does not open this name. If you have an invite code of somebody who is here, enter it; it makes the name yours.'

export function createCodeLogin({ enter, onStranger, afterWrongCode }: CodeLoginParts): CodeLogin {
  let stranger: OfferedKey | undefined
  let tried = 0
  /** False for a key that comes in by itself, and was refused so that its certificate gets its turn. */
  let needsCode = true
  /** Why a right code did not help, to be told once. */
  let advice: string | undefined

  const methods = (): Method[] =>
    stranger && (tried < MAX_CODES || advice !== undefined)
      ? ['publickey', 'keyboard-interactive']
      : ['publickey']

  /** Text without a question: a client shows it, and answers with nothing. */
  function tell(attempt: KeyboardAuthContext, text: string): void {
    advice = undefined
    tried = MAX_CODES
    attempt.prompt([], '', text, () => attempt.reject(methods()))
  }

  async function check(attempt: KeyboardAuthContext, key: OfferedKey, code?: string): Promise<void> {
    let isAnswered = false
    attempt.once('abort', () => (isAnswered = true))
    const refusal = await enter(attempt, key, code, () => isAnswered)
    if (!refusal || isAnswered) return
    if (refusal !== 'refused' && refusal.reason === 'no-name') return tell(attempt, adviceFor(refusal))
    if (code !== undefined) await afterWrongCode()
    if (!isAnswered) attempt.reject(methods())
  }

  return {
    methods,
    isFor: ({ fingerprint, isCertified }) => !isCertified && stranger?.fingerprint === fingerprint,
    async refuseKey(attempt, key, refusal) {
      if (refusal.reason === 'wrong-code') {
        await afterWrongCode()
        return attempt.reject(methods())
      }
      // A client tries the certificate of a key once the key itself was refused, and this method once all
      // keys were.
      if (refusal.reason === 'later') {
        needsCode = stranger !== undefined && needsCode
        stranger ??= key
        return attempt.reject(methods())
      }
      // A client whose key counts as a part of the way begins with its keys again, so only the first one
      // does.
      const isFirst = stranger === undefined
      stranger ??= key
      if (refusal.reason === 'no-name') advice = adviceFor(refusal)
      if (isFirst) onStranger()
      attempt.reject(methods(), isFirst)
    },
    ask(attempt) {
      const key = stranger
      if (!key || !methods().includes('keyboard-interactive')) return attempt.reject(methods())
      if (advice !== undefined) return tell(attempt, advice)
      if (!needsCode) {
        tried = MAX_CODES
        return void check(attempt, key)
      }
      tried++
      attempt.prompt([{ prompt: PROMPT, echo: true }], '', tried === 1 ? HOW : '', (answers) => {
        // ssh2 gives an Error here when the client asks for something else, and its types do not say so.
        if (Array.isArray(answers)) void check(attempt, key, answers[0] ?? '')
      })
    },
  }
}

const adviceFor = ({ message }: InviteRefusal): string =>
  `The code is right and was not used up, but ${message}.`
