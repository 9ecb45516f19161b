import { StorageError } from '../errors.ts'
import type { Entry } from '../entry.ts'
import type { Peers } from '../peers.ts'
import type { Clock, Log, PeopleStore } from '../ports.ts'
import { openAway, type AwayPeople } from './away.ts'
import { createDirectMessages, type DirectMessageLimits, type DirectMessages } from './direct-messages.ts'
import { createFindPerson, type FindPerson } from './find-person.ts'
import { createIgnores, type Hearing, type Ignores } from './ignores.ts'
import { createOpenSessions, type PersonalScreen } from './open-sessions.ts'
import { createOwnLines, type LineReaders, type OwnLines } from './own-lines.ts'
import type { AwayStore, DirectMessageStore, IgnoredStore } from './ports.ts'
import { createReactions, type Reactions } from './reactions.ts'

/** All that people do with what was said, and beside it. */
export interface Talk {
  readonly messages: DirectMessages
  readonly away: AwayPeople
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
  hears(entry: Entry): boolean
  /** Shows the messages that wait for the person. Never rejects with `StorageError`: it is said in the session. */
  showWaiting(): Promise<void>
  /** To be called once, at the end of the session. */
  close(): void
}

/** What talk is made from. */
export interface TalkParts {
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
  const sessions = createOpenSessions()
  const findPerson = createFindPerson(people, sessions, clock, peers)
  const ignores = createIgnores(stores.ignored)
  const messages = createDirectMessages({
    store: stores.messages,
    sessions,
    findPerson,
    hearingOf: ignores.open,
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
    away: await openAway(stores.away, clock, log, peers),
    reactions: createReactions(),
    lines: createOwnLines(readers, limits, clock),
    async openSession(screen) {
      const { person } = screen
      const failed = (what: string) => (error: unknown) => {
        if (!(error instanceof StorageError)) throw error
        screen.print(`! ${what}: ${error.message}`, 'error')
      }
      const hearing = (await ignores.open(person).catch(failed('whom you ignore is shown'))) ?? HEARS_ALL
      const leave = sessions.add(screen)
      return {
        hears: hearing.hears,
        showWaiting: () => messages.deliver(person, hearing).catch(failed('messages to you are not shown')),
        close() {
          leave()
          hearing.close()
        },
      }
    },
  }
}

const HEARS_ALL: Hearing = { hears: () => true, hearsFrom: () => true, close() {} }
