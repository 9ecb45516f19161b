import type { WaitingQuestion } from '../../approvals/approvals.ts'
import { mayManage } from '../../chat/access.ts'
import type { ToolCallEntry, TurnId } from '../../chat/entry.ts'
import { progressText, type ToolProgress } from '../../chat/tool-progress.ts'
import type { Person, Role } from '../../chat/people/person.ts'
import type { Room } from '../../chat/room.ts'
import type { RunningWork, SessionStatus } from '../../session/ports.ts'
import type { RoleChoices } from './role-choices.ts'
import type { RoomStatus } from './status.ts'

/** The status of a room, the same object for all to whom it says the same, as long as nothing in it changes. */
export interface SharedStatus {
  of(person: Person, role: Role): SessionStatus
  running(): readonly RunningWork[]
  /** How far a call is, as its tool says. */
  progressOf(call: ToolCallEntry): ToolProgress | undefined
  /** Whether something runs or waits, so that it changes by itself. */
  isBusy(): boolean
  /** What can be used has changed. */
  forget(): void
  /** The turn's end was told: what is told of it after that would be told too late. */
  end(turn: TurnId): void
  /** Looks at what runs now. True if something has changed since it was last called. */
  update(): boolean
  /** True if it is another. */
  setLastTurn(found: SessionStatus['lastTurn']): boolean
}

export function createSharedStatus(room: Room, rooms: RoomStatus, choices: RoleChoices): SharedStatus {
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

  /** The questions that this person may answer. */
  const questionsFor = (person: Person, role: Role): readonly WaitingQuestion[] =>
    questions.filter((question) => question.mayAllow(person, role))

  const hasOwn = ({ name }: Person): boolean => running.some(({ requester }) => requester === name)

  const isBusy = (): boolean => running.length + questions.length > 0

  /** Equal for those to whom the status says the same: as long as nothing runs or waits, for all of a role. */
  function keyFor(person: Person, role: Role): string {
    if (!isBusy()) return role
    const numbers = questionsFor(person, role).map(({ number }) => number)
    return `${role} ${hasOwn(person) ? person.name : ''} ${numbers.join()}`
  }

  function statusFor(person: Person, role: Role): SessionStatus {
    const { name } = person
    const mine = questionsFor(person, role)
    const waits = running.some((work) => isQueuedBy(work, name))
    return {
      room: room.name,
      people,
      ...choices.of(role),
      running: waits ? ownFirst(running, name) : running,
      questions: mine.map(({ number }) => number),
      othersQuestions: questions.filter((question) => !mine.includes(question)),
      viewer: { name: hasOwn(person) ? name : '', stopsAll: mayManage(role) },
      ...(lastTurn ? { lastTurn } : {}),
    }
  }

  return {
    running: () => running,
    progressOf: ({ turn, call }) => running.find(({ id }) => id === (turn ?? call))?.progress,
    isBusy,
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
      const key = keyFor(person, role)
      const status = known.get(key) ?? statusFor(person, role)
      known.set(key, status)
      return status
    },
  }
}

const textOf = ({ id, who, doing, progress, time }: RunningWork): string =>
  `${id} ${who} ${doing} ${progress ? progressText(progress) : ''} ${time}`

const isQueuedBy = ({ doing, requester }: RunningWork, name: string): boolean =>
  doing === 'waiting' && requester === name

/** Whoever waits for a turn sees it also where there is space for little: behind the first that runs. */
function ownFirst(running: readonly RunningWork[], name: string): readonly RunningWork[] {
  const [first, ...others] = running
  if (!first) return running
  const isOwn = (work: RunningWork): boolean => isQueuedBy(work, name)
  return [first, ...others.filter(isOwn), ...others.filter((work) => !isOwn(work))]
}
