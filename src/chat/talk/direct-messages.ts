import { indentLater } from '../entry-text.ts'
import { Refusal } from '../errors.ts'
import { messageText, type MessageLimits } from '../message-text.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Clock } from '../ports.ts'
import type { FindPerson } from './find-person.ts'
import type { Hearing } from './ignores.ts'
import type { OpenSessions, PersonalScreen } from './open-sessions.ts'
import type { DirectMessage, DirectMessageStore } from './ports.ts'

/** Messages from one person to another one. They are in no room. */
export interface DirectMessages {
  /**
   * Shows a text on all open sessions of a person; who has none finds it at the next login. Resolves once it is stored, to
   * what the sender reads of it. Throws `Refusal`: nobody of that name, too long, too many waiting.
   */
  send(from: Person, name: string, text: string): Promise<SentMessage>
  /** Likewise, to whoever wrote to this person last, since the server started. */
  reply(from: Person, text: string): Promise<SentMessage>
  /** Shows what waits for a person, on all of their open sessions. Rejects with `StorageError`. */
  deliver(person: Person, hearing: Pick<Hearing, 'hearsFrom'>): Promise<void>
}

/** What was sent, and to whom. */
export interface SentMessage {
  readonly to: Person
  /** `you -> bob: hello`. */
  readonly line: string
}

/** The keys of `[limits]` that concern messages to one person. */
export interface DirectMessageLimits extends MessageLimits {
  /** How many may wait for one person. */
  readonly waiting_messages_per_person: number
  /** How many may wait in all. */
  readonly waiting_messages: number
}

/** What direct messages are made of. */
export interface DirectMessageParts {
  readonly store: DirectMessageStore
  readonly sessions: Pick<OpenSessions, 'of'>
  readonly findPerson: FindPerson
  /** Whom the person of an open session hears. Rejects with `StorageError`. */
  readonly hearingOf: (person: Person) => Promise<Hearing>
  readonly limits: DirectMessageLimits
  readonly nextId: () => string
  readonly clock: Clock
}

/** One sender can fill this share of what may wait for somebody. */
const SHARE_OF_ONE_SENDER = 5
/** Days for which a message waits. */
const MAX_DAYS = 30
/** Beyond this many people, those who were written to first cannot reply any more. */
const MAX_WRITERS = 10_000
/** Older ones are shown with their time. */
const FRESH_MS = 60_000

type Sender = DirectMessage['from']

export function createDirectMessages(parts: DirectMessageParts): DirectMessages {
  const { store, sessions, clock, limits } = parts
  /** Who wrote to somebody last, and was shown. */
  const lastWriters = new Map<PersonId, Sender>()
  const deliveries = new Map<PersonId, Promise<void>>()

  async function send(from: Person, to: Person, raw: string): Promise<SentMessage> {
    if (to.id === from.id) throw new Refusal('that is your own name; a message goes to somebody else')
    // What waits on disk is bounded by its number, so each is bounded like a single line.
    const { message_chars, message_lines } = limits
    const text = messageText(raw, { message_chars, message_lines, paste_bytes: message_chars })
    const sender = { id: from.id, name: from.name, guest: from.guest }
    const message = { id: parts.nextId(), to: to.id, from: sender, at: clock.now(), text }
    if (to.guest) await showGuest(to, message)
    else await keep(to, message)
    return { to, line: indentLater(`you -> ${to.name}: ${text}`) }
  }

  /** Also a message that nobody will be shown is stored: who is ignored finds the same limits. */
  async function keep(to: Person, message: DirectMessage): Promise<void> {
    const forOne = limits.waiting_messages_per_person
    const isStored = await store.put(message, {
      forOne,
      fromOne: Math.ceil(forOne / SHARE_OF_ONE_SENDER),
      inAll: limits.waiting_messages,
      notBefore: clock.now() - MAX_DAYS * 86_400_000,
    })
    if (!isStored)
      throw new Refusal(
        `too many messages wait for ${to.name}, from you or from all; try again when they have logged in`,
      )
    if (sessions.of(to.id).length === 0) return
    const hearing = await parts.hearingOf(to)
    try {
      await deliver(to, hearing)
    } finally {
      hearing.close()
    }
  }

  /** A guest is stored nowhere, so neither is what they are sent. */
  async function showGuest(to: Person, message: DirectMessage): Promise<void> {
    const hearing = await parts.hearingOf(to)
    if (hearing.hearsFrom(message.from.id)) show(message, sessions.of(to.id))
    hearing.close()
  }

  function show(message: DirectMessage, screens: readonly PersonalScreen[]): void {
    for (const screen of screens) {
      screen.print(lineOf(message, clock.now()))
      screen.bell()
    }
    lastWriters.delete(message.to)
    lastWriters.set(message.to, message.from)
    const [first] = lastWriters.keys()
    if (lastWriters.size > MAX_WRITERS && first !== undefined) lastWriters.delete(first)
  }

  /**
   * One delivery of a person after the other, so that nothing is shown twice. It is deleted after it was shown: what a crash
   * leaves is shown again, and nothing is lost.
   */
  async function deliver({ id }: Person, hearing: Pick<Hearing, 'hearsFrom'>): Promise<void> {
    const before = deliveries.get(id) ?? Promise.resolve()
    const mine = before.catch(() => {}).then(() => deliverNow(id, hearing))
    deliveries.set(id, mine)
    try {
      await mine
    } finally {
      if (deliveries.get(id) === mine) deliveries.delete(id)
    }
  }

  async function deliverNow(id: PersonId, { hearsFrom }: Pick<Hearing, 'hearsFrom'>): Promise<void> {
    const waiting = await store.waiting(id)
    const screens = sessions.of(id)
    if (waiting.length === 0 || screens.length === 0) return
    for (const message of waiting) if (hearsFrom(message.from.id)) show(message, screens)
    await store.remove(waiting.map((message) => message.id))
  }

  return {
    send: async (from, name, text) => await send(from, await parts.findPerson.called(name), text),
    async reply(from, text) {
      const last = lastWriters.get(from.id)
      if (!last) throw new Refusal('nobody has written to you yet; msg NAME TEXT writes to somebody')
      return await send(from, await parts.findPerson.again(last), text)
    },
    deliver,
  }
}

/** `alice -> you: hello`. No name has a blank in it, so no line of a room looks like that. */
function lineOf({ from, at, text }: DirectMessage, now: number): string {
  const when =
    now - at < FRESH_MS ? '' : ` (${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC)`
  return indentLater(`${from.name}${from.guest ? ' (guest)' : ''} -> you${when}: ${text}`)
}
