import type { LoggingLevel, Server } from '@modelcontextprotocol/server'
import { entryJson } from '../../words/entry-text.ts'
import type { Entry, RoomName } from '../../words/entry.ts'
import { countedAre } from '../../base/amounts.ts'
import { memoizePer } from '../../base/basics.ts'
import type { JsonObject } from '../../base/json.ts'
import type { AgentListener, WrittenMessage } from '../../chat/index.ts'
import type { Mentions } from './mentions.ts'
import { logUri, roomUri } from './room-uri.ts'
import { entryForModels } from './tool.ts'

/** Limit of messages that wait for a slow client, which is told the number of skipped ones. */
const MAX_WAITING = 256

type NotifiedServer = Pick<Server, 'sendResourceUpdated' | 'sendLoggingMessage'>

/** `data` is an entry or a sentence. */
interface Message {
  readonly level: 'info' | 'notice' | 'warning'
  readonly logger: string
  readonly data: unknown
  /** Called once the client has space for the message; never if the message is skipped. */
  readonly onSent?: (() => void) | undefined
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

/**
 * Notifies an agent's client whenever it has space: entries of the agent's rooms as log messages, and
 * `resources/updated` for its subscriptions. A client of 2026-07-28 gets only `resources/updated`, for all
 * its rooms: its log messages belong to requests, and the SDK filters by its subscriptions.
 */
export class Notifications implements AgentListener {
  readonly subscribed = new Set<string>()
  level: LoggingLevel = 'debug'
  readonly #server: NotifiedServer
  readonly #isModern: boolean
  readonly #mentions: Mentions
  readonly #messages: Message[] = []
  readonly #updated = new Set<string>()
  /** Reported entries: an agent that is in a room and follows it hears each entry twice. */
  readonly #changes = new WeakSet<Entry>()
  #skipped = 0
  #isSending = false

  constructor(server: NotifiedServer, era: 'legacy' | 'modern', mentions: Mentions) {
    this.#server = server
    this.#isModern = era === 'modern'
    this.#mentions = mentions
  }

  heard(entry: Entry): void {
    if (this.#isModern) this.changed(entry)
    else this.#send({ level: 'info', logger: logUri(entry.room), data: dataOf(entry) })
    this.#mentions.heard(entry)
  }

  changed(entry: Entry): void {
    if (this.#changes.has(entry)) return
    this.#changes.add(entry)
    const { room, kind } = entry
    this.#update(CHANGES_ROOM.has(kind) ? [roomUri(room), logUri(room)] : [logUri(room)])
  }

  written(message: WrittenMessage, onRead?: () => void): void {
    if (message.isOwn) return
    const onSent = this.#mentions.written(message, onRead)
    if (this.#isModern) return
    this.#send({ level: 'notice', logger: 'sshawl', data: writtenData(message), onSent })
  }

  putOut(room: RoomName, { why, isFollowed }: { readonly why: string; readonly isFollowed: boolean }): void {
    const uris = [roomUri(room), logUri(room)]
    if (!this.#isModern && !isFollowed) for (const uri of uris) this.subscribed.delete(uri)
    // When the client reads the resource, it learns what it missed, or that it may no longer read the room.
    this.#update(uris)
    if (!this.#isModern) this.#send({ level: 'warning', logger: 'sshawl', data: why })
  }

  #update(uris: readonly string[]): void {
    for (const uri of uris) if (this.#isModern || this.subscribed.has(uri)) this.#updated.add(uri)
    if (this.#updated.size > 0) void this.#sendAll()
  }

  #send(message: Message): void {
    if (LEVELS.indexOf(message.level) < LEVELS.indexOf(this.level)) return
    if (this.#messages.length >= MAX_WAITING) this.#skipped += 1
    else this.#messages.push(message)
    void this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (;;) {
        const [uri] = this.#updated
        const message = this.#messages.shift()
        if (uri !== undefined) {
          this.#updated.delete(uri)
          await this.#server.sendResourceUpdated({ uri })
        }
        if (message) {
          const { onSent, ...params } = message
          await this.#server.sendLoggingMessage(params)
          onSent?.()
        }
        if (uri === undefined && !message && !this.#tellSkipped()) return
      }
    } catch {
      // The client is gone, or another transport uses the server: nobody waits for messages.
      this.#messages.length = 0
      this.#updated.clear()
    } finally {
      this.#isSending = false
    }
  }

  #tellSkipped(): boolean {
    if (this.#skipped === 0) return false
    const data = `${countedAre(this.#skipped, 'message')} skipped: this client reads too slowly; history has them`
    this.#messages.push({ level: 'warning', logger: 'sshawl', data })
    this.#skipped = 0
    return true
  }
}

/** Kinds of entries that change a room's resource: its people and its topic. */
const CHANGES_ROOM: ReadonlySet<Entry['kind']> = new Set(['presence', 'notice', 'scope'])

const writtenData = ({ from, text, at }: WrittenMessage) => ({
  at: new Date(at).toISOString(),
  kind: 'direct_message',
  author: from.name,
  ...(from.guest ? { guest: true } : {}),
  text,
})

const remembered = memoizePer<Entry, JsonObject>()

/** Converted once for all agents that hear the entry. */
const dataOf = (entry: Entry): JsonObject => remembered(entry, '', () => entryForModels(entryJson(entry)))
