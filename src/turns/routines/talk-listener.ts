import type { Log } from '../../base/environment.ts'
import type { Room, Rooms } from '../../chat/index.ts'
import type { Entry, RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import { createMentionTest, mentions, namesAll } from '../../words/mentions.ts'
import { SYSTEM } from '../../words/names.ts'
import type { PersonId } from '../../words/person.ts'
import { isByProgram, isLine, type Line, LinesInTurn } from './lines.ts'
import { findSpeaker, type RequesterParts } from './requester.ts'
import type { RunParts } from './runs.ts'
import type { TriggerParts } from './triggers.ts'

interface TalkListenerParts extends RequesterParts, Pick<TriggerParts, 'ask'> {
  readonly rooms: RequesterParts['rooms'] & Pick<Rooms, 'anyRoom'>
  readonly running: RunParts['running']
  readonly log: Log
}

interface TalkFacts {
  readonly room: Room
  readonly model: string
  readonly owner: PersonId | null
}

/**
 * Asks a talk's model to answer each line of its owner. The line counts as speech, not as a routine, so
 * `[routines]` of the config does not apply. Each line is handled by the server that recorded it.
 */
export class TalkListener {
  readonly #parts: TalkListenerParts
  readonly #inTurn = new LinesInTurn<RoomName>()
  /** Rooms that are known not to be talks. */
  readonly #others = new Set<RoomName>()

  constructor(parts: TalkListenerParts) {
    this.#parts = parts
  }

  /** Takes each entry that this server recorded. Never throws, and never delays the entry. */
  readonly onEntry = (entry: Entry): void => {
    if (!isLine(entry) || isByProgram(entry) || this.#others.has(entry.room)) return
    this.#handle(entry).catch((error: unknown) =>
      this.#parts.log.warn({ error, room: entry.room }, 'could not pass a line to the model of a talk'),
    )
  }

  /** A room may have become a talk. */
  forget(): void {
    this.#others.clear()
  }

  close(): void {
    this.#inTurn.close()
  }

  async #handle(line: Line): Promise<void> {
    const talk = await this.#talkIn(line.room)
    if (!talk) return void this.#others.add(line.room)
    if (talk.owner !== line.by || (await this.#isForOthers(line, talk.room))) return
    await this.#inTurn.answer(line.room, line, (next) => this.#answer(next))
  }

  async #talkIn(name: RoomName): Promise<TalkFacts | undefined> {
    const room = await this.#parts.rooms.anyRoom(name)
    if (!room) return undefined
    const { talk, owner } = await room.info()
    return talk === undefined ? undefined : { room, model: talk, owner }
  }

  /** Resolves when the turn has ended, so that lines said meanwhile are answered together. */
  async #answer(line: Line): Promise<void> {
    const { running, models, ask } = this.#parts
    const talk = await this.#talkIn(line.room)
    if (talk?.owner !== line.by) return
    const { room, model } = talk
    for (const turn of running(line.room)) if (turn.model === model) await turn.ended()
    const requester = await findSpeaker(room, line.by, this.#parts)
    if (!requester) return
    const tell = (text: string): void =>
      room.whisper([requester], { kind: 'notice', level: 'info', author: SYSTEM, text })
    if (!(await models(room.name)).includes(model))
      return tell(`this talk is paused: there is no model @${model} now`)
    try {
      const turn = await ask({ room, requester, model, message: line })
      await turn.done
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      tell(`@${model} was not asked: ${error.message}`)
    }
  }

  /** True for a line that mentions a model, or another person who is present. */
  async #isForOthers({ text, by }: Line, room: Room): Promise<boolean> {
    if (namesAll(text) || mentions(text, await this.#parts.models(room.name)).length > 0) return true
    const isMentioned = createMentionTest(text)
    const others = room.present().filter(({ id }) => id !== by)
    return others.some(({ name }) => isMentioned(name) || text.startsWith(`${name}:`))
  }
}
