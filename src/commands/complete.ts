import type { Chat } from '../chat/chat.ts'
import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import type { Turns } from '../turns/turns.ts'
import type { Command } from './command.ts'

/** What could stand for the word before the cursor, whole words in a stable order. */
export type Complete = (textBeforeCursor: string, room: Room, person: Person) => Promise<readonly string[]>

/** Commands after a slash, `@names` anywhere; after a command, what its parameters are about. */
export function createComplete(parts: {
  readonly commands: readonly Command[]
  readonly chat: Chat
  readonly turns: Turns
}): Complete {
  const names = (room: Room): readonly string[] => [
    ...parts.turns.names(),
    ...room.present().map((person) => person.name),
  ]

  return async (text, room, person) => {
    const word = /\S*$/.exec(text)![0]
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
    if (verb === undefined && text.startsWith('/')) return parts.commands.map((command) => `/${command.name}`)
    if (word.startsWith('@')) return names(room).map((name) => `@${name}`)
    switch (verb) {
      case 'join':
        return (await parts.chat.rooms(person)).map((row) => row.name)
      case 'go':
        return (await parts.chat.exits.list(room.name, { viewer: person })).map((one) => one.direction)
      case 'help':
        return parts.commands.map((command) => command.name)
      case 'invite':
        return room.present().map((one) => one.name)
      case 'run':
        return (await parts.turns.scope({ room, person })).tools.map(({ tool }) => tool.name)
      case 'allow':
        return ['once', 'room', 'always']
      case 'tools':
        return toolWords(await parts.turns.scope({ room, person }))
      default:
        return []
    }
  }
}

function toolWords({ tools }: Awaited<ReturnType<Turns['scope']>>): readonly string[] {
  const groups = tools.flatMap(({ tool }) => [tool.group, tool.source])
  return [...new Set(['on', 'off', ...groups, ...tools.map(({ tool }) => tool.name)])]
}
