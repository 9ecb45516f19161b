import { DAY_MS } from '../../lib/duration.ts'
import { createKeyedSerial } from '../../lib/jobs/keyed-serial.ts'
import { Refusal, StorageError } from '../errors.ts'
import { messageText, type MessageLimits } from '../input-text.ts'
import type { Person, PersonId } from '../people/person.ts'
import type { Broadcasts, Peers } from '../peers.ts'
import type { Clock, Log } from '../ports.ts'
import type { FindPerson } from './find-person.ts'
import type { Hearing } from './ignores.ts'
import type { OpenSessions, PersonalScreen } from './open-sessions.ts'
import { personalLine, type PersonalMessage } from './personal-message.ts'
import type { DirectMessage, DirectMessageStore, Sender } from './ports.ts'

/** Messages from one person to another one. They are in no room. */
export interface DirectMessages {
  /**
   * Shows a text on all open sessions of a person; who has none finds it at the next login. The sender reads it back in all
   * of theirs. Resolves once it is stored. Throws `Refusal`: nobody of that name, too long, too many waiting.
   */
  send(from: Person, name: string, text: string): Promise<SentMessage>
  /** Likewise, to whoever wrote what this person was shown last, since the server started. */
  reply(from: Person, text: string): Promise<SentMessage>
  /**
   * Shows what waits for a person on those of their open sessions that have not shown it. It waits until one of their
   * clients has read it, or for a month. Rejects with `StorageError`.
   */
  deliver(person: Person, hearing: Pick<Hearing, 'hearsFrom'>): Promise<void>
  /** Shows, on the sessions of this server, what was sent through another one. Rejects with `StorageError`. */
  receive(sent: Broadcasts['message']): Promise<void>
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
  readonly hearingOf: (person: Pick<Person, 'id' | 'name' | 'guest'>) => Promise<Hearing>
  readonly limits: DirectMessageLimits
  readonly peers: Pick<Peers, 'broadcast'>
  readonly nextId: () => string
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

/** One sender can fill this share of what may wait for somebody. */
const SHARE_OF_ONE_SENDER = 5
/** Days for which a message waits. */
const MAX_DAYS = 30
/** Beyond this many people, those who were written to first cannot reply any more. */
const MAX_WRITERS = 10_000

export function createDirectMessages(parts: DirectMessageParts): DirectMessages {
  const { store, sessions, clock, limits } = parts
  /** Who wrote to somebody last, and was shown. */
  const lastWriters = new Map<PersonId, Sender>()
  /** The ids of what a screen shows, or has shown, and nobody is known to have read. */
  const unread = new WeakMap<PersonalScreen, Set<string>>()
  /** The ids of what is being sent: it has not waited. */
  const justWritten = new Set<string>()
  /** What waits for one person is stored, shown and removed one after the other, so that nothing is shown twice. */
  const serially = createKeyedSerial<PersonId>()

  async function send(from: Person, to: Person, raw: string): Promise<SentMessage> {
    if (to.id === from.id) throw new Refusal('that is your own name; a message goes to somebody else')
    // What waits on disk is bounded by its number, so each is bounded like a single line.
    const { message_chars, message_lines } = limits
    const text = messageText(raw, { message_chars, message_lines, paste_bytes: message_chars })
    const key = from.login && { key: from.login.key }
    const sender = { id: from.id, name: from.name, guest: from.guest, ...key }
    const message = { id: parts.nextId(), to: to.id, from: sender, at: clock.now(), text }
    await sendNow(to, message)
    const reader = { id: to.id, name: to.name, guest: to.guest }
    await parts.peers.broadcast('message', { message, to: reader })
    return { to, line: personalLine(showSender(message, to)) }
  }

  /** Whoever wrote it reads it back. */
  function showSender({ from, text, at }: DirectMessage, to: Pick<Person, 'name'>): PersonalMessage {
    const sent = { head: `you -> ${to.name}`, text, from, at, isOwn: true } as const
    for (const screen of sessions.of(from.id)) screen.message(sent)
    return sent
  }

  async function sendNow(to: Person, message: DirectMessage): Promise<void> {
    justWritten.add(message.id)
    try {
      if (to.guest) return await showGuest(to, message)
      await put(to, message)
      if (sessions.of(to.id).length > 0) await deliverTo(to)
    } finally {
      justWritten.delete(message.id)
    }
  }

  /** Also a message that nobody will be shown is stored: who is ignored finds the same limits. */
  async function put(to: Person, message: DirectMessage): Promise<void> {
    const forOne = limits.waiting_messages_per_person
    const bounds = {
      forOne,
      fromOne: Math.ceil(forOne / SHARE_OF_ONE_SENDER),
      inAll: limits.waiting_messages,
      notBefore: clock.now() - MAX_DAYS * DAY_MS,
    }
    if (await serially(to.id, () => store.put(message, bounds))) return
    throw new Refusal(
      `too many messages wait for ${to.name}, from you or from all; try again when they have logged in`,
    )
  }

  async function deliverTo(to: Person): Promise<void> {
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
    if (hearing.hearsFrom(message.from)) for (const screen of sessions.of(to.id)) show(message, screen)
    hearing.close()
  }

  function show(message: DirectMessage, screen: PersonalScreen): void {
    const shown = shownMessage(message, justWritten.has(message.id))
    if (screen.person.guest) screen.message(shown)
    else screen.message(shown, () => void removeRead(message, screen))
    screen.bell()
    noteWriter(message)
  }

  function noteWriter({ to, from }: DirectMessage): void {
    lastWriters.delete(to)
    lastWriters.set(to, from)
    const [first] = lastWriters.keys()
    if (lastWriters.size > MAX_WRITERS && first !== undefined) lastWriters.delete(first)
  }

  /** It waits on disk, too, unless it is for a guest, and whoever is shown it here is not shown it again. */
  async function showSent({ message, to }: Broadcasts['message']): Promise<void> {
    // Read first: what rejects is called again, and nothing is shown twice.
    const hearing = await parts.hearingOf(to)
    showSender(message, to)
    try {
      if (!hearing.hearsFrom(message.from)) return
      noteWriter(message)
      justWritten.add(message.id)
      for (const screen of sessions.of(to.id)) showOnce(message, screen)
    } finally {
      justWritten.delete(message.id)
      hearing.close()
    }
  }

  function showOnce(message: DirectMessage, screen: PersonalScreen): void {
    const shown = unread.get(screen) ?? new Set()
    unread.set(screen, shown)
    if (shown.has(message.id)) return
    shown.add(message.id)
    show(message, screen)
  }

  /** What cannot be removed is shown again at the next login. */
  async function removeRead({ id, to }: DirectMessage, screen: PersonalScreen): Promise<void> {
    try {
      await serially(to, () => store.remove([id]))
      unread.get(screen)?.delete(id)
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      parts.log.warn({ error, reason: error.reason }, 'a message that was read is still stored')
    }
  }

  const deliver = ({ id }: Person, hearing: Pick<Hearing, 'hearsFrom'>): Promise<void> =>
    serially(id, () => deliverNow(id, hearing))

  async function deliverNow(id: PersonId, { hearsFrom }: Pick<Hearing, 'hearsFrom'>): Promise<void> {
    const screens = sessions.of(id)
    if (screens.length === 0) return
    const waiting = await store.waiting(id)
    const heard = waiting.filter(({ from }) => hearsFrom(from))
    for (const screen of screens) for (const message of heard) showOnce(message, screen)
    const unheard = waiting.filter((message) => !heard.includes(message))
    if (unheard.length > 0) await store.remove(unheard.map((message) => message.id))
  }

  return {
    send: async (from, name, text) => await send(from, await parts.findPerson.called(name), text),
    async reply(from, text) {
      const last = lastWriters.get(from.id)
      if (!last) throw new Refusal('nobody has written to you yet; msg NAME TEXT writes to somebody')
      return await send(from, await parts.findPerson.again(last), text)
    },
    deliver,
    receive: (sent) => serially(sent.to.id, () => showSent(sent)),
  }
}

/** `alice -> you`, with its time where it has waited. */
function shownMessage({ from, at, text }: DirectMessage, isFresh: boolean): PersonalMessage {
  const when = isFresh ? '' : ` (${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC)`
  return { head: `${from.name}${from.guest ? ' (guest)' : ''} -> you${when}`, text, from, at }
}
