import type { Entry, MessageEntry } from '../../words/entry.ts'
import { keyOfGuest, type PersonId } from '../../words/person.ts'

/** A line of a registered person. */
export type Line = MessageEntry & { readonly by: PersonId }

/** Lines of routines, models, hooks and guests start nothing, nor do edits. */
export const isLine = (entry: Entry): entry is Line =>
  entry.kind === 'message' &&
  entry.routine === undefined &&
  entry.edits === undefined &&
  entry.thread === undefined &&
  entry.by !== undefined &&
  keyOfGuest(entry.by) === undefined

export const isByProgram = ({ posted, byProgram }: Line): boolean => posted === true || byProgram === true

/** Answers one line at a time for each key; of the lines said meanwhile, only the newest gets an answer. */
export class LinesInTurn<Key> {
  /** The keys being answered, with the newest waiting line. */
  readonly #answering = new Map<Key, { waiting?: Line }>()
  #isClosed = false

  async answer(key: Key, line: Line, answerOne: (line: Line) => Promise<void>): Promise<void> {
    const before = this.#answering.get(key)
    if (before) return void (before.waiting = line)
    const state: { waiting?: Line } = {}
    this.#answering.set(key, state)
    try {
      let next: Line | undefined = line
      while (next && !this.#isClosed) {
        await answerOne(next)
        next = state.waiting
        delete state.waiting
      }
    } finally {
      this.#answering.delete(key)
    }
  }

  close(): void {
    this.#isClosed = true
  }
}
