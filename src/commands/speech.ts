import type { MessageEntry } from '../chat/entry.ts'
import { Refusal } from '../chat/errors.ts'
import { mentions } from '../chat/mentions.ts'
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { FindPerson } from '../chat/talk/find-person.ts'
import type { AwayPeople } from '../chat/talk/away.ts'
import { messageText, type MessageLimits } from '../chat/message-text.ts'
import { headOf } from '../lib/text/characters.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import type { Mention, RunningTurn, Turns } from '../turns/turns.ts'
import { hintForSpeech } from './hints.ts'

/** What people say in rooms. All of it throws `Refusal` for an empty or too long text. */
export interface Speech {
  /**
   * Says something, and starts a turn for each model that it mentions. Throws `Refusal` also where too many turns wait;
   * the message may be said by then.
   */
  say(room: Room, person: Person, text: string, how?: Pick<Mention, 'permissions'>): Promise<Said>
  /**
   * Asks a model once more for an answer to what somebody has said, and tells the room so. Throws `Refusal` also where too
   * many turns wait; the room may be told by then.
   */
  again(
    asked: { readonly room: Room; readonly message: MessageEntry; readonly model: string },
    person: Person,
    how?: Pick<Mention, 'permissions'>,
  ): Promise<RunningTurn>
  /** `/me`: says what somebody does. */
  act(room: Room, person: Person, text: string): Promise<void>
}

/** The message as it was stored, and the turns it started, by model. */
export interface Said {
  readonly message: MessageEntry
  /** What the speaker may have got wrong, for them alone; commands in it have their slash. */
  readonly hint: string | undefined
  readonly turns: ReadonlyMap<string, RunningTurn>
}

/** UTF-16 units of what was asked that the room reads again. */
const MAX_REPEATED = 80

/** The limits hold for what is said, and for what is done. Who speaks is not away any more. */
export function createSpeech(
  turns: Turns,
  limits: MessageLimits,
  away: Pick<AwayPeople, 'heard'>,
  findPerson: Pick<FindPerson, 'called'>,
): Speech {
  /** The message is said: nothing that fails here may look as if it were not. */
  const hintFor = async (text: string, room: Room): Promise<string | undefined> =>
    await hintForSpeech(text, {
      models: turns.names(),
      // Few messages mention anybody.
      get people() {
        return room.present().map(({ name }) => name)
      },
      isRegistered: async (name) =>
        await findPerson.called(name).then(
          () => true,
          (error: unknown) => !(error instanceof Refusal),
        ),
    })

  return {
    async say(room, requester, raw, how) {
      room.needVoice(requester)
      const text = messageText(raw, limits)
      const message = await room.record({ kind: 'message', author: requester.name, by: requester.id, text })
      away.heard(room, requester, text)
      const called = mentions(text, turns.names())
      const started = await startAll(called, turns, { room, requester, message, ...how })
      return { message, turns: started, hint: await hintFor(text, room) }
    },
    async again({ room, message, model }, requester, how) {
      room.needVoice(requester)
      const text = `${requester.name} asked @${model} again: ${cleanLine(headOf(message.text, MAX_REPEATED))}`
      await room.record({ kind: 'notice', level: 'info', author: requester.name, text })
      return await turns.start({ room, requester, model, message, ...how })
    },
    async act(room, person, raw) {
      room.needVoice(person)
      const text = messageText(raw, limits)
      await room.record({ kind: 'action', author: person.name, by: person.id, text })
      away.heard(room, person, text)
    },
  }
}

/** Starts a turn for each of these models. One that is refused keeps no other from starting; then the first reason is thrown. */
async function startAll(
  models: readonly string[],
  turns: Pick<Turns, 'start'>,
  mention: Omit<Mention, 'model'>,
): Promise<Said['turns']> {
  const started = new Map<string, RunningTurn>()
  const refused: Refusal[] = []
  for (const model of models) {
    try {
      started.set(model, await turns.start({ ...mention, model }))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      refused.push(models.length === 1 ? error : new Refusal(`@${model} was not asked: ${error.message}`))
    }
  }
  if (refused[0]) throw refused[0]
  return started
}
