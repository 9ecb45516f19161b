import { Refusal } from '../../chat/errors.ts'
import type { Clock, RoomStore } from '../../chat/ports.ts'
import type { Room } from '../../chat/room.ts'
import { CHECKPOINT_KEY, checkpointOf, type Checkpoint } from '../../prompt/checkpoint.ts'
import { announce } from './shared/announce.ts'
import { type Command, type CommandContext, defineCommand } from '../command.ts'

const NAME = /^[A-Za-z0-9_.-]{1,32}$/
const CLEAR = 'clear'

type Here = CommandContext<'here'>

/** From where on models read the conversation: nothing is taken out of the log. */
export function checkpointCommand(rooms: Pick<RoomStore, 'getValue' | 'setValue'>, clock: Clock): Command {
  return defineCommand({
    name: 'checkpoint',
    summary: 'models read the conversation from here on; a name sets it, clear removes it, nothing shows it',
    room: 'here',
    arguments: [{ name: 'name', about: '1-32 of letters, digits, _, . and -; or clear', optional: true }],
    example: 'release-2',
    rights: { manage: 'set its checkpoint', when: ({ name }) => name !== undefined },
    async run(context) {
      const { room, person, args, out } = context
      const value = await rooms.getValue(room.name, CHECKPOINT_KEY)
      if (args.name === undefined) return out.line(shown(checkpointOf(value)))
      if (args.name !== CLEAR) return await set(context, args.name)
      if (value === undefined) throw new Refusal('no checkpoint is set')
      await rooms.setValue(room.name, CHECKPOINT_KEY, undefined)
      await announce(context, `${person.name} cleared the checkpoint: models read the whole conversation`)
    },
  })

  async function set(context: Here, name: string): Promise<void> {
    if (!NAME.test(name)) throw new Refusal("a checkpoint's name is 1-32 of letters, digits, _, . and -")
    const after = await lastEntry(context.room)
    const by = context.person.name
    await rooms.setValue(context.room.name, CHECKPOINT_KEY, { name, after, by, at: clock.now() })
    await announce(context, `${by} set checkpoint ${name}: models read the conversation from here on`)
  }

  async function lastEntry(room: Room): Promise<Checkpoint['after']> {
    const last = (await room.history({ limit: 1 })).at(-1)
    if (last) return last.id
    throw new Refusal(`nothing was said in ${room.name} yet: models read from there anyway`)
  }
}

const shown = (checkpoint: Checkpoint | undefined): string =>
  checkpoint
    ? `${checkpoint.name}, set by ${checkpoint.by} ${new Date(checkpoint.at).toISOString()}`
    : 'no checkpoint is set: models read the whole conversation'
