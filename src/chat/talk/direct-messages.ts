import { DAY_MS } from '../../base/amounts.ts'
import type { Clock, Log } from '../../base/environment.ts'
import { createKeyedSerial } from '../../base/jobs/serial.ts'
import { Refusal, warnOfStorage } from '../../words/errors.ts'
import { UTC } from '../../base/zone.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import { indentLater } from '../../words/entry-text.ts'
import { messageText, type MessageLimits } from '../text/input-text.ts'
import type { Person, PersonId } from '../../words/person.ts'
import type { Broadcasts, Peers } from '../peers.ts'
import type { IgnoreFilter, Ignores } from './ignores.ts'
import type { FindPerson, OpenSessions, PersonalMessage, PersonalScreen } from './open-sessions.ts'
import type { DirectMessage, DirectMessageStore, Sender } from './ports.ts'

export class DirectMessages {
  /** Called with each message that was sent through this server. Must not throw. */
  onSent = (_from: Sender, _to: Person): void => {}
  /** Called with each reminder that rang through this server. Must not throw. */
  onReminder = (_to: Person, _text: string): void => {}
  readonly #parts: DirectMessageParts
  readonly #lastWriters = new Map<PersonId, Sender>()
  /** Ids of messages that a screen has shown and that are not known to be read. */
  readonly #unread = new WeakMap<PersonalScreen, Set<string>>()
  readonly #justWritten = new Set<string>()
  /** Serializes storing, showing and removing for one person, so that nothing is shown twice. */
  readonly #serially = createKeyedSerial<PersonId>()

  constructor(parts: DirectMessageParts) {
    this.#parts = parts
  }

  /**
   * Shows a text on all open sessions of a person, or at their next login, and in all sessions of the sender.
   * Resolves once it is stored. Throws `Refusal`: nobody of that name, too long, too many waiting.
   */
  async send(from: Person, name: string, text: string): Promise<SentMessage> {
    return await this.#send(from, await this.#parts.findPerson.called(name), text)
  }

  /** Rings in the person's sessions or at the next login. Rejects with `StorageError` if it is not stored. */
  async remind(to: Person, text: string): Promise<void> {
    const { nextId, clock, peers, store } = this.#parts
    const from = { id: to.id, name: REMINDER, guest: false }
    const message = { id: nextId(), to: to.id, from, at: clock.now(), text }
    this.#justWritten.add(message.id)
    try {
      // The limit of reminders for each person also limits the waiting ones.
      await this.#serially(to.id, () => store.put(message, UNLIMITED))
      if (this.#parts.sessions.of(to.id).length > 0) await this.#showNow(to, message)
    } finally {
      this.#justWritten.delete(message.id)
    }
    await peers.broadcast('message', { message, to: { id: to.id, name: to.name, guest: false } })
    this.onReminder(to, text)
  }

  /** Sends to the writer of the message that this person was shown last, since the server started. */
  async reply(from: Person, text: string): Promise<SentMessage> {
    const last = this.#lastWriters.get(from.id)
    if (!last) throw new Refusal('nobody has written to you yet; /msg NAME TEXT writes to somebody')
    return await this.#send(from, await this.#parts.findPerson.again(last), text)
  }

  /** Shows waiting messages once in each session, until read or a month old. Rejects with `StorageError`. */
  deliver({ id }: Person, filter: Pick<IgnoreFilter, 'acceptsFrom'>): Promise<void> {
    return this.#serially(id, () => this.#deliverNow(id, filter))
  }

  /** Shows a message that was sent through another server. Rejects with `StorageError`. */
  receive(sent: Broadcasts['message']): Promise<void> {
    return this.#serially(sent.to.id, () => this.#showSent(sent))
  }

  async #send(from: Person, to: Person, raw: string): Promise<SentMessage> {
    if (to.id === from.id) throw new Refusal('that is your own name; a message goes to somebody else')
    const { limits, clock, nextId, peers } = this.#parts
    // The number of waiting messages is limited, so each is limited like a single line.
    const { message_chars, message_lines } = limits
    const text = messageText(raw, { message_chars, message_lines, paste_bytes: message_chars })
    const key = from.login && { key: from.login.key }
    const sender = { id: from.id, name: from.name, guest: from.guest, ...key }
    const message = { id: nextId(), to: to.id, from: sender, at: clock.now(), text }
    await this.#sendNow(to, message)
    const reader = { id: to.id, name: to.name, guest: to.guest }
    await peers.broadcast('message', { message, to: reader })
    this.onSent(sender, to)
    return { to, line: personalLine(this.#showSender(message, to)) }
  }

  #showSender({ from, text, at }: DirectMessage, to: Pick<Person, 'name'>): PersonalMessage {
    const sent = { head: `you -> ${to.name}`, text, from, at, isOwn: true } as const
    for (const screen of this.#parts.sessions.of(from.id)) screen.message(sent)
    return sent
  }

  async #sendNow(to: Person, message: DirectMessage): Promise<void> {
    this.#justWritten.add(message.id)
    try {
      if (!to.guest) await this.#put(to, message)
      if (this.#parts.sessions.of(to.id).length > 0) await this.#showNow(to, message)
    } finally {
      this.#justWritten.delete(message.id)
    }
  }

  /** Stores the message even if the reader ignores its sender, so that the sender meets the same limits. */
  async #put(to: Person, message: DirectMessage): Promise<void> {
    const { limits, clock, store } = this.#parts
    const forOne = limits.waiting_messages_per_person
    const bounds = {
      forOne,
      fromOne: Math.ceil(forOne / SENDERS_TO_FILL),
      inAll: limits.waiting_messages,
      notBefore: clock.now() - MAX_DAYS * DAY_MS,
    }
    if (await this.#serially(to.id, () => store.put(message, bounds))) return
    throw new Refusal(
      `too many messages wait for ${to.name}, from you or from all; try again when they have logged in`,
    )
  }

  async #showNow(to: Person, message: DirectMessage): Promise<void> {
    const filter = await this.#parts.ignores.open(to)
    try {
      if (!to.guest) await this.deliver(to, filter)
      else if (filter.acceptsFrom(message.from))
        for (const screen of this.#parts.sessions.of(to.id)) this.#show(message, screen)
    } finally {
      filter.close()
    }
  }

  #show(message: DirectMessage, screen: PersonalScreen): void {
    const shown = shownMessage(message, this.#justWritten.has(message.id), screen.zone?.())
    if (screen.person.guest) screen.message(shown)
    else screen.message(shown, () => void this.#removeRead(message, screen))
    screen.bell()
    this.#noteWriter(message)
  }

  #noteWriter({ to, from }: DirectMessage): void {
    if (to === from.id) return
    this.#lastWriters.delete(to)
    this.#lastWriters.set(to, from)
    const [first] = this.#lastWriters.keys()
    if (this.#lastWriters.size > MAX_WRITERS && first !== undefined) this.#lastWriters.delete(first)
  }

  async #showSent({ message, to }: Broadcasts['message']): Promise<void> {
    // Reads first: a call that rejects is repeated, and must show nothing twice.
    const filter = await this.#parts.ignores.open(to)
    if (message.from.id !== to.id) this.#showSender(message, to)
    try {
      if (!filter.acceptsFrom(message.from)) return
      this.#noteWriter(message)
      this.#justWritten.add(message.id)
      for (const screen of this.#parts.sessions.of(to.id)) this.#showOnce(message, screen)
    } finally {
      this.#justWritten.delete(message.id)
      filter.close()
    }
  }

  #showOnce(message: DirectMessage, screen: PersonalScreen): void {
    const shown = this.#unread.get(screen) ?? new Set()
    this.#unread.set(screen, shown)
    if (shown.has(message.id)) return
    shown.add(message.id)
    this.#show(message, screen)
  }

  /** If the removal fails, the message is shown again at the next login. */
  async #removeRead({ id, to }: DirectMessage, screen: PersonalScreen): Promise<void> {
    await this.#serially(to, () => this.#parts.store.remove([id]))
      .then(() => this.#unread.get(screen)?.delete(id))
      .catch(warnOfStorage(this.#parts.log, 'could not delete a private message that was read'))
  }

  async #deliverNow(id: PersonId, filter: Pick<IgnoreFilter, 'acceptsFrom'>): Promise<void> {
    const { sessions, store } = this.#parts
    const screens = sessions.of(id)
    if (screens.length === 0) return
    const waiting = await store.waiting(id)
    const accepted = waiting.filter(({ from }) => filter.acceptsFrom(from))
    for (const screen of screens) for (const message of accepted) this.#showOnce(message, screen)
    const ignored = waiting.filter((message) => !accepted.includes(message))
    if (ignored.length > 0) await store.remove(ignored.map((message) => message.id))
  }
}

export const personalLine = ({ head, text }: Pick<PersonalMessage, 'head' | 'text'>): string =>
  indentLater(`${cleanLine(head)}: ${text}`)

export interface SentMessage {
  readonly to: Person
  readonly line: string
}

export interface DirectMessageLimits extends MessageLimits {
  readonly waiting_messages_per_person: number
  readonly waiting_messages: number
}

interface DirectMessageParts {
  readonly store: DirectMessageStore
  readonly sessions: OpenSessions
  readonly findPerson: FindPerson
  readonly ignores: Pick<Ignores, 'open'>
  readonly limits: DirectMessageLimits
  readonly peers: Pick<Peers, 'broadcast'>
  readonly nextId: () => string
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** Messages of this many senders fill `waiting_messages_per_person`: one sender may use a fifth. */
const SENDERS_TO_FILL = 5
const MAX_DAYS = 30
/** The sender of reminders, which nobody can be called. */
const REMINDER = 'reminder'
const UNLIMITED = { forOne: 1e9, fromOne: 1e9, inAll: 1e9, notBefore: 0 }
/** The most people who can reply; beyond it, the person written to longest ago cannot. */
const MAX_WRITERS = 10_000

function shownMessage({ from, at, text }: DirectMessage, isFresh: boolean, zone = UTC): PersonalMessage {
  const time = new Date(zone.local(at)).toISOString().slice(0, 16).replace('T', ' ')
  const when = isFresh ? '' : ` (${time}${zone.name === UTC.name ? ' UTC' : ''})`
  return { head: `${from.name}${from.guest ? ' (guest)' : ''} -> you${when}`, text, from, at }
}
