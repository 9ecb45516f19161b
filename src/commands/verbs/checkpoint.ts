import type { Chat } from '../../chat/chat.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { CHECKPOINT_KEY, checkpointOf, type Checkpoint } from '../../prompt/checkpoint.ts'
import type { Call, Command } from '../command.ts'
import { needManager } from '../rights.ts'

const NAME = /^[A-Za-z0-9_.-]{1,32}$/
const CLEAR = 'clear'

/** From where on models read the conversation: nothing is taken out of the log. */
export function checkpointCommand(chat: Chat, rooms: RoomStore, clock: Clock): Command {
  return {
    name: 'checkpoint',
    summary: 'models read the conversation from here on; a name sets it, clear removes it, nothing shows it',
    room: 'here',
    parameters: [{ name: 'name', optional: true }],
    async run(call) {
      const { name } = call.args
      const value = await rooms.getValue(call.room!.name, CHECKPOINT_KEY)
      const current = checkpointOf(value)
      if (name === undefined) return call.out.line(shown(current))
      await needManager(call.room!, call.person, 'set its checkpoint')
      if (name !== CLEAR) return await set(call, name)
      if (value === undefined) throw new Refusal('no checkpoint is set')
      await store(
        call,
        undefined,
        `${call.person.name} cleared the checkpoint: models read the whole conversation`,
      )
    },
  }

  async function set(call: Call, name: string): Promise<void> {
    if (!NAME.test(name)) throw new Refusal("a checkpoint's name is 1-32 of letters, digits, _, . and -")
    const after = await lastEntry(call.room!)
    const value = { name, after, by: call.person.name, at: clock.now() }
    await store(
      call,
      value,
      `${call.person.name} set checkpoint ${name}: models read the conversation from here on`,
    )
  }

  async function lastEntry(room: Room): Promise<Checkpoint['after']> {
    const last = (await chat.history(room, { limit: 1 })).at(-1)
    if (last) return last.id
    throw new Refusal(`nothing was said in ${room.name} yet: models read from there anyway`)
  }

  async function store(
    { room, person, out, session }: Call,
    value: { readonly [key in keyof Checkpoint]: Checkpoint[key] } | undefined,
    text: string,
  ): Promise<void> {
    await rooms.setValue(room!.name, CHECKPOINT_KEY, value)
    await room!.record({ kind: 'notice', level: 'info', author: person.name, text })
    if (!session) out.line(text)
  }
}

const shown = (checkpoint: Checkpoint | undefined): string =>
  checkpoint
    ? `${checkpoint.name}, set by ${checkpoint.by} ${new Date(checkpoint.at).toISOString()}`
    : 'no checkpoint is set: models read the whole conversation'
