import type { LoggingLevel, Server } from '@modelcontextprotocol/server'
import { entryJson } from '../../../chat/entry-json.ts'
import type { Entry } from '../../../chat/entry.ts'
import { countedAre } from '../../../lib/plural.ts'
import type { AgentListener, WrittenMessage } from './ports.ts'
import { logUri, roomUri } from './room-uri.ts'

/** Entries that wait for a client that reads slowly; those beyond are skipped, and it is told how many. */
const MAX_WAITING = 256

/** One of the messages that tell an agent what is said: `data` is an entry, or a sentence. */
interface Message {
  readonly level: 'info' | 'notice' | 'warning'
  /** The log that it is from. */
  readonly logger: string
  readonly data: unknown
  /** Called once the client has space for it, and not where it is skipped. */
  readonly onSent?: (() => void) | undefined
}

/** As the protocol has them, the least first. */
const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** What sends an agent what it hears. */
export interface Notifications extends AgentListener {
  /** The resources that the client subscribed to; it changes with them. */
  readonly subscribed: Set<string>
  /** Log messages below this are not sent any more. */
  setLevel(level: LoggingLevel): void
}

/**
 * Sends what an agent hears: each entry of its rooms as a log message, and `resources/updated` for what it follows. A client
 * of 2026-07-28 gets the latter alone, of its rooms too: log messages belong to requests there. One notification is sent
 * after the other, each once the client has space for it.
 */
export function createNotifications(
  { server }: { readonly server: Pick<Server, 'sendResourceUpdated' | 'sendLoggingMessage'> },
  era: 'legacy' | 'modern',
): Notifications {
  const messages: Message[] = []
  const updated = new Set<string>()
  const subscribed = new Set<string>()
  /** Who is in a room and listens to it, too, hears each entry twice. */
  const changes = new WeakSet<Entry>()
  let least: LoggingLevel = 'debug'
  let skipped = 0
  let isSending = false

  async function sendAll(): Promise<void> {
    if (isSending) return
    isSending = true
    try {
      for (;;) {
        const [uri] = updated
        const message = messages.shift()
        if (uri !== undefined) {
          updated.delete(uri)
          await server.sendResourceUpdated({ uri })
        }
        if (message) await sendMessage(message)
        if (uri === undefined && !message && !tellSkipped()) return
      }
    } catch {
      // The client is gone, or another transport has the server: nobody waits for it.
      messages.length = 0
      updated.clear()
    } finally {
      isSending = false
    }
  }

  async function sendMessage({ onSent, ...message }: Message): Promise<void> {
    await server.sendLoggingMessage(message)
    onSent?.()
  }

  function tellSkipped(): boolean {
    if (skipped === 0) return false
    const data = `${countedAre(skipped, 'message')} skipped: this client reads too slowly; history has them`
    messages.push({ level: 'warning', logger: 'sshawl', data })
    skipped = 0
    return true
  }

  function send(message: Message): void {
    if (LEVELS.indexOf(message.level) < LEVELS.indexOf(least)) return
    if (messages.length >= MAX_WAITING) skipped += 1
    else messages.push(message)
    void sendAll()
  }

  function changed(entry: Entry): void {
    if (changes.has(entry)) return
    changes.add(entry)
    const { room, kind } = entry
    update(CHANGES_ROOM.has(kind) ? [roomUri(room), logUri(room)] : [logUri(room)])
  }

  function update(uris: readonly string[]): void {
    // The SDK lets through what a client of 2026-07-28 listens for.
    for (const uri of uris) if (era === 'modern' || subscribed.has(uri)) updated.add(uri)
    if (updated.size > 0) void sendAll()
  }

  return {
    subscribed,
    setLevel: (level) => void (least = level),
    changed,
    heard(entry) {
      if (era === 'modern') changed(entry)
      else send({ level: 'info', logger: logUri(entry.room), data: dataOf(entry) })
    },
    written(message, onRead) {
      if (era === 'modern' || message.isOwn) return
      send({ level: 'notice', logger: 'sshawl', data: writtenData(message), onSent: onRead })
    },
    putOut(room, { why, isFollowed }) {
      const uris = [roomUri(room), logUri(room)]
      if (era === 'legacy' && !isFollowed) for (const uri of uris) subscribed.delete(uri)
      // Something may have happened while it was not heard; where it may not be read any more, the client learns that as it looks.
      update(uris)
      if (era === 'legacy') send({ level: 'warning', logger: 'sshawl', data: why })
    },
  }
}

/** Entries that tell of what a room's own resource has: who is there, its topic. */
const CHANGES_ROOM: ReadonlySet<Entry['kind']> = new Set(['presence', 'notice', 'scope'])

/** What was written to one person, in the form of an entry. */
const writtenData = ({ from, text, at }: WrittenMessage) => ({
  at: new Date(at).toISOString(),
  kind: 'direct_message',
  author: from.name,
  ...(from.guest ? { guest: true } : {}),
  text,
})

/** What each entry is told as, however many agents are told: one after the other hears the same one. */
const told = new WeakMap<Entry, ReturnType<typeof entryJson>>()

function dataOf(entry: Entry): ReturnType<typeof entryJson> {
  const known = told.get(entry) ?? entryJson(entry)
  told.set(entry, known)
  return known
}
