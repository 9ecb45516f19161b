import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Turns } from '../turns/turns.ts'
import { isCalled, type Command } from './define.ts'
import { kindOfLine } from './line.ts'

/** What could stand for `word`, with which the text before the cursor ends: whole words in a stable order. */
export type CompleteWord = (
  textBeforeCursor: string,
  word: string,
  room: Room,
  person: Person,
) => Promise<readonly string[]>

/** Commands after a slash, `@names` anywhere; after a command, what it says that could follow. */
export function createCompletion(commands: readonly Command[], models: Pick<Turns, 'names'>): CompleteWord {
  return async (text, word, room, person) => {
    const all = await candidates(text, word, room, person)
    return all.filter((one) => one.startsWith(word)).toSorted()
  }

  async function candidates(
    text: string,
    word: string,
    room: Room,
    person: Person,
  ): Promise<readonly string[]> {
    const { kind, rest } = kindOfLine(text)
    const verb = kind === 'command' ? /^(\S+)\s/.exec(rest)?.[1] : undefined
    if (kind === 'command' && verb === undefined) return commands.map((command) => `/${command.name}`)
    if (word.startsWith('@')) return namesIn(room).map((name) => `@${name}`)
    const command = verb === undefined ? undefined : commands.find((one) => isCalled(one, verb))
    return (await command?.complete?.({ room, person })) ?? []
  }

  function namesIn(room: Room): readonly string[] {
    return [...models.names(), ...room.present().map((person) => person.name)]
  }
}
