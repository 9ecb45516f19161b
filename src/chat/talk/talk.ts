import type { Clock, Log } from '../../base/environment.ts'
import { StorageError } from '../../words/errors.ts'
import type { Peers } from '../peers.ts'
import type { PeopleStore } from '../ports.ts'
import { Away } from './away.ts'
import { type DirectMessageLimits, DirectMessages } from './direct-messages.ts'
import { type IgnoreFilter, Ignores } from './ignores.ts'
import { createFindPerson, type FindPerson, OpenSessions, type PersonalScreen } from './open-sessions.ts'
import { createOwnLines, type LineReaders, type OwnLines } from './own-lines.ts'
import type { AwayStore, DirectMessageStore, IgnoredStore } from './ports.ts'
import { createReactions } from './reactions.ts'

export interface TalkSession extends Pick<IgnoreFilter, 'shows' | 'close'> {
  /** Shows waiting messages. Never rejects with `StorageError`, which it prints in the session. */
  showWaiting(): Promise<void>
}

interface TalkParts {
  readonly people: Pick<PeopleStore, 'bySkeleton' | 'byId' | 'beginning'>
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

export class Talk {
  readonly messages: DirectMessages
  readonly away: Away
  readonly ignores: Ignores
  readonly reactions = createReactions()
  readonly lines: OwnLines
  readonly findPerson: FindPerson
  readonly #sessions = new OpenSessions()

  private constructor(parts: TalkParts) {
    const { people, stores, readers, limits, peers, clock, log } = parts
    this.findPerson = createFindPerson(people, this.#sessions, clock, peers)
    this.ignores = new Ignores(stores.ignored)
    this.away = new Away(stores.away, clock, log, peers)
    this.lines = createOwnLines(readers, limits, clock)
    this.messages = new DirectMessages({
      ...parts,
      store: stores.messages,
      sessions: this.#sessions,
      findPerson: this.findPerson,
      ignores: this.ignores,
    })
  }

  /** Rejects with `StorageError` if it cannot be read who is away. */
  static async open(parts: TalkParts): Promise<Talk> {
    const talk = new Talk(parts)
    await talk.away.readAgain()
    return talk
  }

  /** Call it when a session begins. Prints there what cannot be read. */
  readonly openSession = async (screen: PersonalScreen): Promise<TalkSession> => {
    const { person } = screen
    const failed = (what: string) => (error: unknown) => {
      if (!(error instanceof StorageError)) throw error
      screen.print(`! ${what}: ${error.message}`, 'error')
    }
    const filter =
      (await this.ignores
        .open(person)
        .catch(failed('could not load your ignore list; ignored people will be visible'))) ?? SHOWS_ALL
    const leave = this.#sessions.add(screen)
    return {
      shows: filter.shows,
      showWaiting: () =>
        this.messages
          .deliver(person, filter)
          .catch(failed('could not show the private messages that wait for you')),
      close() {
        leave()
        filter.close()
      },
    }
  }
}

const SHOWS_ALL: IgnoreFilter = { shows: () => true, acceptsFrom: () => true, close() {} }
