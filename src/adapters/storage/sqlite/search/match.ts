import type { RoomName } from '../../../../chat/entry.ts'
import type { SearchTerm } from '../../../../chat/ports.ts'
import { searchedWords } from '../../words/index-words.ts'

/**
 * The terms as an expression of FTS5 (https://www.sqlite.org/fts5.html#full_text_query_syntax), for these rooms;
 * undefined where no term has a word. Nothing that somebody wrote is taken for syntax: words hold no quotes.
 */
export function matchOf(rooms: readonly RoomName[], terms: readonly SearchTerm[]): string | undefined {
  const phrases = terms.flatMap(({ text, whole }) => {
    const forms = searchedWords(text).flatMap((words) => phraseOf(words, whole))
    return forms.length === 0 ? [] : [`(${forms.join(' OR ')})`]
  })
  if (phrases.length === 0 || rooms.length === 0) return undefined
  const places = rooms.map((room) => `"${roomWord(room)}"`)
  return `room : (${places.join(' OR ')}) AND words : (${phrases.join(' AND ')})`
}

/** A room's name as one word of the index, which parts words at `-` and `_`. */
export const roomWord = (room: RoomName): string => Buffer.from(room).toString('hex')

/** A last word of one character does not go on: `c` is not looked for as the beginning of a tenth of all words. */
function phraseOf(words: readonly string[], whole: boolean): readonly string[] {
  const last = words.at(-1)
  if (last === undefined) return []
  return [`"${words.join(' ')}"${whole || [...last].length === 1 ? '' : ' *'}`]
}
