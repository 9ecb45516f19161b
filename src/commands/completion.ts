import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { Turns } from '../turns/turns.ts'
import type { Command } from './define.ts'

/** What could stand for the word before the cursor, whole words in a stable order. */
export type Completion = (textBeforeCursor: string, room: Room, person: Person) => Promise<readonly string[]>

/** Nothing that can be completed is longer, in UTF-16 units. In a long text the search would take the square of its length. */
const MAX_WORD_UNITS = 256

/** Commands after a slash, `@names` anywhere; after a command, what it says that could follow. */
export function createCompletion(commands: readonly Command[], models: Pick<Turns, 'names'>): Completion {
  return async (text, room, person) => {
    const word = /\S*$/.exec(text.slice(-MAX_WORD_UNITS))?.[0] ?? ''
    const all = await candidates(text, word, room, person)
    return all.filter((one) => one.startsWith(word)).toSorted()
  }

  async function candidates(
    text: string,
    word: string,
    room: Room,
    person: Person,
  ): Promise<readonly string[]> {
    const verb = /^\/(\S+)\s/.exec(text)?.[1]
    if (verb === undefined && text.startsWith('/')) return commands.map((command) => `/${command.name}`)
    if (word.startsWith('@')) return namesIn(room).map((name) => `@${name}`)
    return (await commands.find((command) => command.name === verb)?.complete?.({ room, person })) ?? []
  }

  function namesIn(room: Room): readonly string[] {
    return [...models.names(), ...room.present().map((person) => person.name)]
  }
}
