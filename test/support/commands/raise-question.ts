import type { Entry } from '../../../src/words/entry.ts'
import type { Person } from '../../../src/words/person.ts'
import type { Room } from '../../../src/chat/room.ts'
import { ok } from '../../../src/tools/results/result.ts'
import { sessionIn } from './caller.ts'
import type { CommandWorld } from './command-world.ts'
import { screenOf } from '../chat-parts.ts'
import { tool } from '../turn-world.ts'

/** A tool that asks before it does something to `q`. */
export const touch = tool('touch', (args) => ok(`touched ${whatOf(args)}`), {
  access: 'write',
  asks: async (args) => ({ target: whatOf(args), detail: whatOf(args), asked: 'touch it?' }),
})

const whatOf = (args: unknown): string => (args as { readonly q: string }).q

/** Lets a person run `touch`, and resolves once the room was asked; `result` is what the tool ends with. */
export async function raiseQuestion(
  { runner }: Pick<CommandWorld, 'runner'>,
  person: Person,
  room: Room,
  target: string,
) {
  if (!room.present().includes(person)) await room.enter(screenOf(person))
  const asked = heard(room, (entry) => entry.kind === 'approval' && entry.verdict === 'asked')
  const result = heard(room, (entry) => entry.kind === 'tool_result')
  await runner.command(`run touch ${JSON.stringify({ q: target })}`, sessionIn(room, person).caller)
  await asked
  return { result }
}

/** Resolves with the text of the next such entry. */
const heard = (room: Room, isWanted: (entry: Entry) => boolean): Promise<string> =>
  new Promise((resolve) => {
    const end = room.listen({
      deliver(entry) {
        if (!isWanted(entry)) return
        end()
        resolve(entry.text)
      },
    })
  })
