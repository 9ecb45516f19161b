import type { Key } from './keys.ts'

/** Asks whoever was put out of a room for a second Enter, since their fingers may still write for that room. */
interface EnterAgain {
  /** From now on it is not sure for which room one types. */
  begin(): void
  /** Called with each key before it is done: only the Enter right behind the question answers it, and ^C ends the doubt. */
  key(key: Key): void
  /** False where Enter has to be pressed again, and `ask` was called. `isSaid` as in `SessionHost`. */
  passes(isSaid: boolean): boolean
}

/**
 * `whenRead` is that of a `Terminal`: what was typed before the question stood there is no answer, so that none of the lines
 * passes that a terminal without bracketed paste sends with their Enters.
 */
export function createEnterAgain(ask: () => void, whenRead: (listener: () => void) => void): EnterAgain {
  let isUnsure = false
  let mayAnswer = false
  /** Which question is the last one. */
  let questions = 0

  function question(): void {
    const mine = ++questions
    ask()
    whenRead(() => {
      if (mine === questions) mayAnswer = true
    })
  }

  function forget(): void {
    mayAnswer = false
    questions++
  }

  return {
    begin() {
      isUnsure = true
      forget()
    },
    key(key) {
      const name = key.type === 'press' ? key.name : undefined
      if (name === 'interrupt') isUnsure = false
      if (name !== 'enter') forget()
    },
    passes(isSaid) {
      if (isUnsure && isSaid && !mayAnswer) {
        question()
        return false
      }
      isUnsure = false
      forget()
      return true
    },
  }
}
