import type { CallToolResult, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createAddressedHere } from '../../words/mentions.ts'
import { actionText, routineMark, shownName } from '../../words/entry-text.ts'
import type { Entry } from '../../words/entry.ts'
import { textForModels } from '../../words/outside.ts'
import { createDeferred, whenAborted } from '../../base/jobs/waiting.ts'
import { headOf } from '../../base/text/characters.ts'
import type { WrittenMessage } from '../../chat/index.ts'
import type { Agent } from './agent.ts'
import { refused } from './tool.ts'
import { room } from './tools.ts'

/** Limit of lines, and also of direct messages, that are kept for the next `wait`. */
const MAX_LINES = 20
/** Limit of each line's text. */
const MAX_CHARS = 2_000

/** Default seconds of a `wait`. Clients on the SDK give up on a call after 60. */
const DEFAULT_WAIT_S = 50
const MAX_WAIT_S = 600

const isAddressed = createAddressedHere()

const withEntries = z.object({ entries: z.array(z.object({ id: z.string() })) })

/**
 * The lines that name one agent, until the agent reads them by `wait` or another tool, and the direct
 * messages that `wait` has not yet returned.
 */
export class Mentions {
  onLine: ((entry: Entry) => void) | undefined
  readonly #agent: Agent
  readonly #ending: AbortSignal
  #lines: readonly Entry[] = []
  #messages: readonly { readonly message: WrittenMessage; readonly onRead: () => void }[] = []
  #leftOut = 0
  #isReading = false
  #hasWaited = false
  #wake = (): void => {}
  #endWait = (): void => {}

  /** A `wait` ends at once when `ending` is aborted. */
  constructor(agent: Agent, ending: AbortSignal = agent.signal) {
    this.#agent = agent
    this.#ending = AbortSignal.any([agent.signal, ending])
  }

  heard(entry: Entry): void {
    if (!isAddressed(entry, { name: this.#agent.name() })) return
    this.#leftOut += Math.max(0, this.#lines.length + 1 - MAX_LINES)
    this.#lines = [...this.#lines, entry].slice(-MAX_LINES)
    this.onLine?.(entry)
    this.#wake()
  }

  /** Passes a direct message to `wait`. Returns `onRead` unless the client waits: then `wait` calls it. */
  written(message: WrittenMessage, onRead = (): void => {}): (() => void) | undefined {
    this.#messages = [...this.#messages, { message, onRead }].slice(-MAX_LINES)
    this.#wake()
    return this.#hasWaited ? undefined : onRead
  }

  /** Reads direct messages from now on, also between calls of `wait`. */
  readMessages(): void {
    if (this.#isReading) return
    this.#isReading = true
    whenAborted(this.#ending, this.#agent.readMessages())
  }

  read({ structuredContent }: CallToolResult): void {
    const { data } = withEntries.safeParse(structuredContent)
    if (this.#lines.length === 0 || !data) return
    const ids = new Set(data.entries.map(({ id }) => id))
    this.#lines = this.#lines.filter(({ id }) => !ids.has(id))
  }

  /**
   * Resolves to new lines of the room `where`, or of all rooms with direct messages; to a sentence after this
   * time or when another call begins. Rejects with `StorageError`.
   */
  async wait(where: string | undefined, seconds: number, cancelled: AbortSignal): Promise<string> {
    this.#endWait()
    this.#hasWaited = true
    this.readMessages()
    let why = `nobody named you in ${seconds} s; you hear the rooms that you joined`
    // A signal of `AbortSignal.timeout` may be garbage-collected while only `any` refers to it.
    const over = new AbortController()
    this.#endWait = () => {
      why = 'a newer wait has replaced this one'
      over.abort()
    }
    const timer = setTimeout(() => over.abort(), seconds * 1_000)
    const end = AbortSignal.any([this.#ending, cancelled, over.signal])
    try {
      for (;;) {
        const { promise, resolve } = createDeferred<void>()
        // An ended wait must not replace the `wake` of its successor.
        if (!end.aborted) this.#wake = resolve
        const lines = await this.#take(where, end)
        if (lines !== '') return lines
        if (this.#ending.aborted)
          return 'the wait was ended: the server is stopping, or you were disconnected'
        if (end.aborted) return why
        whenAborted(end, resolve)
        await promise
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Takes the lines of these rooms, but drops lines of rooms that the agent can no longer see. */
  async #take(where: string | undefined, end: AbortSignal): Promise<string> {
    const rooms = new Set(this.#lines.map((line) => line.room).filter((name) => (where ?? name) === name))
    const seen = new Set<string>()
    for (const name of rooms) if (await this.#agent.sees(name)) seen.add(name)
    // A cancelled call takes no line.
    if (end.aborted) return ''
    const taken = this.#lines.filter((line) => rooms.has(line.room))
    this.#lines = this.#lines.filter((line) => !rooms.has(line.room))
    const written = where === undefined ? this.#messages : []
    this.#messages = this.#messages.filter((one) => !written.includes(one))
    for (const { onRead } of written) onRead()
    const lines = taken.filter((line) => seen.has(line.room)).map(lineText)
    const texts = [...written.map(({ message }) => messageText(message)), ...lines]
    if (texts.length === 0) return ''
    const [leftOut, note] = [this.#leftOut, 'older lines that named you are left out; history has them']
    this.#leftOut = 0
    return [...texts, ...(leftOut > 0 ? [`${leftOut} ${note}`] : [])].join('\n\n')
  }
}

function lineText(entry: Entry): string {
  const said = entry.kind === 'action' ? actionText(entry) : entry.text
  const head = headOf(said, MAX_CHARS)
  const mark = entry.kind === 'message' ? routineMark(entry) : ''
  const outside = { from: `line of ${shownName(entry.author)}${mark} in ${entry.room}`, head: 0, tail: 0 }
  return textForModels({ id: entry.id, text: head === said ? said : `${head}…`, outside })
}

/** The whole text, because no history contains it. */
const messageText = ({ from, text }: WrittenMessage): string =>
  textForModels({
    text,
    outside: { from: `message of ${shownName(from.name)} to you alone`, head: 0, tail: 0 },
  })

export function addWait(server: McpServer, agent: Agent, mentions: Mentions): void {
  const input = {
    room: room.optional(),
    timeout_s: z.int().min(1).max(MAX_WAIT_S).default(DEFAULT_WAIT_S).describe('Seconds'),
  }
  const config = {
    title: 'Wait',
    description:
      'Wait for the next line that names you in a room that you joined, or message to you alone, or get those that you missed at once. Each comes with its author and room. With a room: only its lines.',
    inputSchema: z.strictObject(input),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  }
  server.registerTool('wait', config, async ({ room: where, timeout_s }, { mcpReq: { signal } }) => {
    if (where !== undefined) {
      // Refuses a hidden room, as every tool does.
      const outcome = await agent.run({ verb: 'topic', room: where, flags: { json: true } }, { signal })
      if (!outcome.ok) return refused(outcome)
    }
    return { content: [{ type: 'text', text: await mentions.wait(where, timeout_s, signal) }] }
  })
}

/** Claude Code shows these notifications to its model if it was started with the channel. */
export const CHANNEL = { 'claude/channel': {} }

/** Limit of notifications that wait for a slow client. Only `wait` returns further lines. */
const MAX_SENDING = 20

export function openChannel({ server }: McpServer, mentions: Mentions): void {
  let sending = 0
  mentions.onLine = (entry) => {
    if (sending >= MAX_SENDING) return
    sending += 1
    const { id, at, room, kind } = entry
    const meta = { id, room, kind, author: shownName(entry.author), at: new Date(at).toISOString() }
    void server
      .notification({ method: 'notifications/claude/channel', params: { content: lineText(entry), meta } })
      .catch(() => {})
      .finally(() => (sending -= 1))
  }
}
