import { sendTo } from '../support/postgres/send-to.ts'

/** An entry of the log, as far as the checks look at it. */
export interface StoredEntry {
  readonly id: string
  readonly room: string
  readonly kind: string
  readonly author: string
  readonly text: string
  readonly data: {
    readonly reacts?: string
    readonly retracts?: string
    readonly turn?: string
    readonly outcome?: string
  }
}

export interface StoredTurn {
  readonly id: string
  readonly room: string
  readonly ended: boolean
  readonly outcome: string | null
  /** Id of the line that asked for it. */
  readonly message: string | null
}

/** What the database says when the run is over. */
export type Truth = Awaited<ReturnType<typeof readTruth>>

export async function readTruth(url: string) {
  const entries = await sendTo(
    url,
    'SELECT id, room, kind, author, text, data FROM entries ORDER BY room, id',
  )
  const turns = await sendTo(
    url,
    'SELECT id, room, ended_at IS NOT NULL AS ended, outcome, message FROM turns ORDER BY id',
  )
  return {
    /** In the order of the log, room by room. */
    entries: entries.map((entry) => ({ ...entry, data: JSON.parse(String(entry['data'])) }) as StoredEntry),
    turns: turns as unknown as readonly StoredTurn[],
  }
}

/** A word by which a line is known; `re:` before it is the model's answer to that line. */
const MARK = /(?<![\w:-])(c\d+-\d+)\b/g

export const marksIn = (text: string): readonly string[] =>
  [...text.matchAll(MARK)].map(([, mark = '']) => mark)
