import type { MessageEntry } from '../chat/entry.ts'
import { mentions } from '../chat/mentions.ts'
import type { Person } from '../chat/person.ts'
import type { Room } from '../chat/room.ts'
import { speech, type SpeechLimits } from '../chat/speech.ts'
import type { Mention, RunningTurn, Turns } from '../turns/turns.ts'

/** Says something in a room, and starts a turn for each model that it mentions. */
export type Speak = (
  room: Room,
  person: Person,
  text: string,
  how?: Pick<Mention, 'permissions'>,
) => Promise<Spoken>

/** The message as it was stored, and the turns it started, by model. */
export interface Spoken {
  readonly message: MessageEntry
  readonly turns: ReadonlyMap<string, RunningTurn>
}

/** Throws `Refusal`: an empty or too long message, too many turns waiting. The message may be said by then. */
export function createSpeak(turns: Turns, limits: SpeechLimits): Speak {
  return async (room, requester, raw, how) => {
    const text = speech(raw, limits)
    const message = (await room.record({ kind: 'message', author: requester.name, text })) as MessageEntry
    const started = new Map<string, RunningTurn>()
    for (const model of mentions(text, turns.names())) {
      started.set(model, await turns.start({ room, requester, model, message, ...how }))
    }
    return { message, turns: started }
  }
}
