import type { Entry, EntryId, NewEntry, ReplyDelta, RoomName } from '../../src/words/entry.ts'
import { statusRow } from '../../src/terminal/drawing/status-line.ts'
import { createReplies } from '../../src/terminal/drawing/streamed-reply.ts'
import { markdown } from './markdown-tools.ts'
import type { RunningWork, Screen, SessionHost, SessionStatus } from '../../src/terminal/ports.ts'

/** One room in memory that hands what is said in it to all who are in it. */
export type FakeRoom = ReturnType<typeof createFakeRoom>

export interface FakeHost extends SessionHost {
  readonly lines: string[]
  readonly isStopped: () => boolean
  readonly isDetached: () => boolean
}

export const status: SessionStatus = {
  room: 'lobby',
  people: 2,
  models: ['guide'],
  scope: 'all',
  tools: 12,
  listeners: [],
  lastTurn: { model: 'guide', percent: 34 },
  running: [],
  questions: [],
  answeredBy: 'command',
  othersQuestions: [],
  viewer: 'bob',
}

/** Something that runs. */
export const work = (who: string, doing: string, time = '3.2s', requester = 'bob'): RunningWork => ({
  id: `${who} of ${requester}`,
  who,
  doing,
  time,
  requester,
})

/** `/crash` throws, `/quit` leaves, `/big` prints much; everything else is said in the room. */
export function createFakeRoom(current: () => SessionStatus = () => status) {
  const screens = new Set<Screen>()
  const listeners: (() => void)[] = []
  const replies = createReplies({ tools: markdown.tools, wallNow: () => 0 })
  let number = 0
  const deliver = (draft: NewEntry): Entry => {
    const id = String(++number).padStart(26, '0') as EntryId
    const entry = { ...draft, id, at: number, room: 'lobby' as RoomName } as Entry
    if (entry.kind === 'reply') replies.end(entry.turn, entry)
    for (const screen of screens) screen.deliver(entry)
    for (const listener of listeners) listener()
    return entry
  }
  return {
    /** Gives it to everybody. */
    deliver,
    /** A piece of a reply that everybody sees. */
    stream(delta: Omit<ReplyDelta, 'room'>) {
      replies.add({ ...delta, room: 'lobby' as RoomName })
      replies.flush()
      for (const screen of screens) screen.refresh()
    },
    screens,
    /** Calls back after each entry was delivered. */
    listen: (listener: () => void) => void listeners.push(listener),
    host(): FakeHost {
      const lines: string[] = []
      let mine: Screen | undefined
      let stopped = false
      let detached = false
      return {
        lines,
        isStopped: () => stopped,
        isDetached: () => detached,
        attach(screen) {
          mine = screen
          screens.add(screen)
          screen.print('welcome')
          return Promise.resolve()
        },
        detach() {
          detached = true
          if (mine) screens.delete(mine)
          return Promise.resolve()
        },
        savedInput: () => Promise.resolve({ lines: [], draft: '' }),
        async submit(line) {
          await Promise.resolve()
          lines.push(line)
          if (line === '/crash') throw new TypeError('a bug')
          if (line === '/quit') mine?.quit('bye')
          else if (line.startsWith('/big ')) mine?.print('x'.repeat(Number(line.slice(5))))
          else deliver({ kind: 'message', author: mine?.person.name ?? '', text: line })
        },
        complete: (_text, word) =>
          Promise.resolve(['/help', '/history', '@guide'].filter((one) => one.startsWith(word))),
        summaryOf: () => undefined,
        running: () => current().running,
        footer: (style) => ({
          replies: replies.now(),
          replyOf: replies.of,
          status: statusRow(current(), style),
        }),
        async goNext() {
          await this.submit('/next')
        },
        stop() {
          stopped = true
          return Promise.resolve()
        },
      }
    },
  }
}
