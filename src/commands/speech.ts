import { mayManage, type Room } from '../chat/index.ts'
import type { MessageEntry } from '../words/entry.ts'
import type { Approvals } from '../turns/approvals/index.ts'
import { Refusal } from '../words/errors.ts'
import { mentions, namesAll } from '../words/mentions.ts'
import { messageText, type MessageLimits } from '../chat/text/index.ts'
import type { Person } from '../words/person.ts'
import type { Away, FindPerson } from '../chat/talk/index.ts'
import { headOf } from '../base/text/characters.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import type { Mention, RunningTurn, Turns } from '../turns/index.ts'
import type { PanelRequest } from '../turns/panels/index.ts'
import { answerCommand, hintForSpeech } from './hints.ts'

/** The stored message, and the turns it started, by model. */
export interface SaidMessage {
  readonly message: MessageEntry
  /** A hint at a likely mistake, only for the speaker. Its commands have their slash. */
  readonly hint: string | undefined
  readonly turns: ReadonlyMap<string, RunningTurn>
}

type AskSettings = Pick<Mention, 'permissions' | 'routine'>
/** A `routine`'s line is said in its person's absence: it rings nobody and ends no absence. */
type SpeechSettings = AskSettings & ProgramMarks

export type ProgramMarks = Pick<MessageEntry, 'posted' | 'byProgram'>

/** Limit of shown UTF-16 units of a question that is asked again. */
const MAX_REPEATED = 80

/** Says what people write. Throws `Refusal` for an empty or too long text. Ends the speaker's absence. */
export class Speech {
  readonly #turns: Turns
  readonly #limits: MessageLimits
  readonly #away: Pick<Away, 'heard'>
  readonly #findPerson: Pick<FindPerson, 'called'>
  readonly #approvals: Pick<Approvals, 'open'>

  constructor(
    turns: Turns,
    limits: MessageLimits,
    away: Pick<Away, 'heard'>,
    findPerson: Pick<FindPerson, 'called'>,
    approvals: Pick<Approvals, 'open'>,
  ) {
    this.#turns = turns
    this.#limits = limits
    this.#away = away
    this.#findPerson = findPerson
    this.#approvals = approvals
  }

  /**
   * Says a message and starts a turn for each model that it mentions. Throws `Refusal` also if too many turns
   * wait, possibly after the message was said.
   */
  async say(room: Room, requester: Person, raw: string, how: SpeechSettings = {}): Promise<SaidMessage> {
    const { posted, byProgram, ...asking } = how
    const { routine } = how
    room.needVoice(requester)
    const text = messageText(raw, this.#limits)
    const { toAll, hint } = routine ? {} : await this.#ringing(room, requester, text)
    const said = { kind: 'message', author: requester.name, by: requester.id, text, ...toAll } as const
    const marks = { ...(posted && { posted }), ...(byProgram && { byProgram }) }
    const message = await room.record({ ...said, ...marks, ...(routine && { routine: routine.number }) })
    if (!routine) this.#away.heard(room, requester, text)
    const turns = await this.#startAll({ room, requester, message, ...asking })
    return { message, turns, hint: hint ?? (await this.#hintFor(text, room, requester, turns)) }
  }

  /**
   * Asks a model again to answer a message, and tells the room. Throws `Refusal` also if too many turns wait,
   * possibly after the room was told.
   */
  async again(
    { room, message, model }: Pick<Mention, 'room' | 'message' | 'model'>,
    requester: Person,
    how?: AskSettings,
  ): Promise<RunningTurn> {
    room.needVoice(requester)
    const asked = mentions(message.text, [model]).length > 0 ? `@${model} again` : `@${model}, too`
    const text = `${requester.name} asked ${asked}: ${cleanLine(headOf(message.text, MAX_REPEATED))}`
    await room.record({ kind: 'notice', level: 'info', author: requester.name, text })
    return await this.#turns.start({ room, requester, model, message, ...how })
  }

  /** Says the question of a panel and starts it. Throws `Refusal`, possibly after the question was said. */
  async askPanel(
    room: Room,
    requester: Person,
    request: PanelRequest,
    how?: AskSettings,
  ): Promise<{ readonly message: MessageEntry; readonly turn: RunningTurn }> {
    room.needVoice(requester)
    const panel = await this.#turns.createPanel(room.name, request)
    const names = panel.members.map(({ name }) => `@${name}`).join(' ')
    const text = messageText(`panel ${names}: ${request.question}`, this.#limits)
    const said = { kind: 'message', author: requester.name, by: requester.id, text } as const
    const message = await room.record(said)
    this.#away.heard(room, requester, text)
    const { name: model } = (panel.merger ?? panel.members[0])!
    return { message, turn: await this.#turns.start({ room, requester, model, message, panel, ...how }) }
  }

  /** Says a `/me` line: a person's action. */
  async act(
    room: Room,
    person: Person,
    raw: string,
    { byProgram }: ProgramMarks = {},
  ): Promise<Pick<SaidMessage, 'hint'>> {
    room.needVoice(person)
    const text = messageText(raw, this.#limits)
    const { toAll, hint } = await this.#ringing(room, person, text)
    const said = { kind: 'action', author: person.name, by: person.id, text, ...toAll } as const
    await room.record({ ...said, ...(byProgram && { byProgram }) })
    this.#away.heard(room, person, text)
    return { hint }
  }

  /** For a text with `@all`: the mark that rings everybody in the room, or the reason for its absence. */
  async #ringing(room: Room, person: Person, text: string) {
    if (!namesAll(text)) return {}
    if (mayManage(await room.roleOf(person))) return { toAll: { toAll: true } as const }
    return { hint: 'that rang nobody: only ops, the owner and admins ring everybody in a room' }
  }

  /** Starts the turns of all models that are not refused. Then throws the first refusal, if any. */
  async #startAll(mention: Omit<Mention, 'model'>): Promise<SaidMessage['turns']> {
    const { room, message } = mention
    if (!message.text.includes('@')) return new Map()
    const models = mentions(message.text, await this.#turns.personas.namesIn(room.name))
    const started = new Map<string, RunningTurn>()
    const refused: Refusal[] = []
    for (const model of models) {
      try {
        started.set(model, await this.#turns.start({ ...mention, model }))
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        refused.push(models.length === 1 ? error : new Refusal(`@${model} was not asked: ${error.message}`))
      }
    }
    if (refused[0]) throw refused[0]
    return started
  }

  /** Must not fail: an error would look as if the message had not been said. */
  async #hintFor(
    text: string,
    room: Room,
    person: Person,
    asked: SaidMessage['turns'],
  ): Promise<string | undefined> {
    const answer = answerCommand(text)
    const open = answer === undefined ? [] : this.#approvals.open(room.name)
    if (open.length > 0) {
      const role = await room.roleOf(person).catch(() => undefined)
      const answerable = role ? open.filter((question) => question.mayAllow(person, role)) : []
      const mine = answerable.find(({ number }) => text.trimEnd().endsWith(` ${number}`)) ?? answerable[0]
      if (mine) return `that was said in the room; /${answer} ${mine.number} answers question ${mine.number}`
    }
    const personas = text.includes('@') ? await this.#turns.personas.list(room.name).catch(() => []) : []
    const pausedPersona = personas.find(({ name, paused }) => paused !== undefined && asked.has(name))
    if (pausedPersona)
      return `the persona ${pausedPersona.name} of this room was not asked: ${pausedPersona.paused}`
    return await hintForSpeech(text, {
      models: [...this.#turns.names(), ...personas.map(({ name }) => name)],
      // Computed on demand, because few messages mention anybody.
      get people() {
        return room.present().map(({ name }) => name)
      },
      isRegistered: async (name) =>
        await this.#findPerson.called(name).then(
          () => true,
          (error: unknown) => !(error instanceof Refusal),
        ),
    })
  }
}
