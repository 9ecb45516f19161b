import { StorageError } from '../errors.ts'
import type { Entry } from '../entry.ts'
import type { Peers } from '../peers.ts'
import type { Clock, Log, PeopleStore } from '../ports.ts'
import { Away } from './away.ts'
import { type DirectMessageLimits, DirectMessages } from './direct-messages.ts'
import { type IgnoreFilter, Ignores } from './ignores.ts'
import { createFindPerson, type FindPerson, OpenSessions, type PersonalScreen } from './open-sessions.ts'
import { createOwnLines, type LineReaders, type OwnLines } from './own-lines.ts'
import type { AwayStore, DirectMessageStore, IgnoredStore } from './ports.ts'
import { createReactions, type Reactions } from './reactions.ts'

/** All that people do with what was said, and beside it. */
export interface Talk {
  readonly messages: DirectMessages
  readonly away: Away
  readonly ignores: Ignores
  readonly reactions: Reactions
  readonly lines: OwnLines
  readonly findPerson: FindPerson
  /** For a session that begins. What cannot be read is said in it, and keeps nobody out. */
  openSession(screen: PersonalScreen): Promise<TalkSession>
}

/** The part that one session has in it. */
export interface TalkSession {
  /** False for what somebody they ignore says. */
  shows(entry: Entry): boolean
  /** Shows the messages that wait for the person. Never rejects with `StorageError`: it is said in the session. */
  showWaiting(): Promise<void>
  /** To be called once, at the end of the session. */
  close(): void
}

interface TalkParts {
  readonly people: Pick<PeopleStore, 'bySkeleton' | 'byId'>
  readonly stores: {
    readonly messages: DirectMessageStore
    readonly ignored: IgnoredStore
    readonly away: AwayStore
  }
  readonly readers: LineReaders
  readonly limits: DirectMessageLimits
  readonly peers: Pick<Peers, 'find' | 'findGuest' | 'broadcast'>
  readonly clock: Clock
  readonly nextId: () => string
  readonly log: Log
}

/** Rejects with `StorageError` if what is known of who is away cannot be read. */
export async function openTalk(parts: TalkParts): Promise<Talk> {
  const { people, stores, readers, limits, peers, clock, nextId, log } = parts
  const sessions = new OpenSessions()
  const findPerson = createFindPerson(people, sessions, clock, peers)
  const ignores = new Ignores(stores.ignored)
  const away = new Away(stores.away, clock, log, peers)
  await away.readAgain()
  const messages = new DirectMessages({
    store: stores.messages,
    sessions,
    findPerson,
    openFilter: (person) => ignores.open(person),
    limits,
    peers,
    nextId,
    clock,
    log,
  })
  return {
    messages,
    ignores,
    findPerson,
    away,
    reactions: createReactions(),
    lines: createOwnLines(readers, limits, clock),
    async openSession(screen) {
      const { person } = screen
      const failed = (what: string) => (error: unknown) => {
        if (!(error instanceof StorageError)) throw error
        screen.print(`! ${what}: ${error.message}`, 'error')
      }
      const filter =
        (await ignores
          .open(person)
          .catch(failed('your ignore list could not be read, and ignored people are shown'))) ?? SHOWS_ALL
      const leave = sessions.add(screen)
      return {
        shows: filter.shows,
        showWaiting: () => messages.deliver(person, filter).catch(failed('messages to you are not shown')),
        close() {
          leave()
          filter.close()
        },
      }
    },
  }
}

const SHOWS_ALL: IgnoreFilter = { shows: () => true, acceptsFrom: () => true, close() {} }
