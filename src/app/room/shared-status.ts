import type { WaitingQuestion } from '../../approvals/approvals.ts'
import { mayManage } from '../../chat/access.ts'
import type { ToolCallEntry, TurnId } from '../../chat/entry.ts'
import { progressText, type ToolProgress } from '../../chat/tool-progress.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { RunningWork, SessionStatus } from '../../session/ports.ts'
import type { RoomOffers } from './offers.ts'
import type { RoomStatus } from './status.ts'

/** The status of a room, the same object for all to whom it says the same, as long as nothing in it changes. */
export interface SharedStatus {
  of(person: Person, role: Role): SessionStatus
  running(): readonly RunningWork[]
  /** How far a call is, as its tool says. */
  progressOf(call: ToolCallEntry): ToolProgress | undefined
  /** Whether something runs or waits, so that it changes by itself. */
  isBusy(): boolean
  /** What is offered has changed. */
  forget(): void
  /** The turn's end was told: what is told of it after that would be told too late. */
  end(turn: TurnId): void
  /** Looks at what runs now. True if something has changed since it was last called. */
  update(): boolean
  /** True if it is another. */
  setLastTurn(found: SessionStatus['lastTurn']): boolean
}

export function createSharedStatus(room: Room, rooms: RoomStatus, offers: RoomOffers): SharedStatus {
  const known = new Map<string, SessionStatus>()
  /** What the statuses say. */
  let people = 0
  let running: readonly RunningWork[] = []
  let questions: readonly WaitingQuestion[] = []
  let lastTurn: SessionStatus['lastTurn']
  /** Turns whose end was told already, though they run for another moment. */
  const ended = new Set<string>()
  /** What `update` saw last. */
  let seen = ''

  function setPeople(): void {
    const count = room.present().length
    if (count !== people) known.clear()
    people = count
  }

  return {
    running: () => running,
    progressOf: ({ turn, call }) => running.find(({ id }) => id === (turn ?? call))?.progress,
    isBusy: () => running.length + questions.length > 0,
    forget: () => known.clear(),
    end: (turn: TurnId) => void ended.add(turn),
    update(): boolean {
      const before = seen
      setPeople()
      const all = rooms.running(room)
      for (const turn of ended) if (!all.some(({ id }) => id === turn)) ended.delete(turn)
      running = all.filter(({ id }) => !ended.has(id))
      questions = rooms.questions(room)
      seen = `${people} ${questions.map(({ number }) => number).join()} ${running.map(textOf).join()}`
      if (seen === before) return false
      known.clear()
      return true
    },
    setLastTurn(found: SessionStatus['lastTurn']): boolean {
      if (found?.used === lastTurn?.used && found?.target === lastTurn?.target) return false
      lastTurn = found
      known.clear()
      return true
    },
    of(person: Person, role: Role): SessionStatus {
      setPeople()
      const { name } = person
      const mine = questions.filter((question) => question.mayAllow(person, role))
      const hasOwn = running.some(({ requester }) => requester === name)
      const waits = running.some((work) => isQueuedBy(work, name))
      const key = `${role} ${hasOwn ? name : ''} ${mine.map(({ number }) => number).join()}`
      const status = known.get(key) ?? {
        room: room.name,
        people,
        ...offers.of(role),
        running: waits ? ownFirst(running, name) : running,
        questions: mine.map(({ number }) => number),
        othersQuestions: questions.filter((question) => !mine.includes(question)),
        viewer: { name: hasOwn ? name : '', stopsAll: mayManage(role) },
        ...(lastTurn ? { lastTurn } : {}),
      }
      known.set(key, status)
      return status
    },
  }
}

const textOf = ({ id, who, doing, progress, time }: RunningWork): string =>
  `${id} ${who} ${doing} ${progress ? progressText(progress) : ''} ${time}`

const isQueuedBy = ({ doing, requester }: RunningWork, name: string): boolean =>
  doing === 'waiting' && requester === name

/** Whoever waits for a turn sees it also where there is room for little: behind the first that runs. */
function ownFirst(running: readonly RunningWork[], name: string): readonly RunningWork[] {
  const [first, ...others] = running
  if (!first) return running
  const isOwn = (work: RunningWork): boolean => isQueuedBy(work, name)
  return [first, ...others.filter(isOwn), ...others.filter((work) => !isOwn(work))]
}
