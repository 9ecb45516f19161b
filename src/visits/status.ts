import type { Approvals, WaitingQuestion } from '../turns/approvals/index.ts'
import type { ToolCallEntry, TurnId } from '../words/entry.ts'
import type { Person, PersonId, Role } from '../words/person.ts'
import type { Room } from '../chat/index.ts'
import { progressText, type ToolProgress } from '../words/tool-progress.ts'
import { runningTime } from '../base/amounts.ts'
import type { Clock } from '../base/environment.ts'
import { scopeText } from '../wrap/scope/index.ts'
import type { RunningWork, SessionStatus } from '../terminal/index.ts'
import type { TurnStore } from '../turns/index.ts'
import type { RoutineEngine, ShownRoutines } from '../turns/routines/index.ts'
import type { Work } from './work.ts'

/** What people of one role can use in a room. */
type Choices = Pick<SessionStatus, 'models' | 'scope' | 'tools'>

/** The content of a room's status line except its name and the number of people. */
export type RoomStatus = ReturnType<typeof createRoomStatus>

export function createRoomStatus(
  { turns, runs }: Pick<Work, 'turns' | 'runs'>,
  approvals: Approvals,
  store: Pick<TurnStore, 'last'>,
  routines: Pick<RoutineEngine, 'routines' | 'onChange'>,
  clock: Clock,
) {
  const running = (
    work: Pick<ReturnType<typeof turns.running>[number], 'doing' | 'progress' | 'requester'>,
    shown: { readonly id: string; readonly who: string; readonly since: number },
  ): RunningWork => ({
    id: shown.id,
    who: shown.who,
    requester: work.requester,
    doing: work.doing(),
    progress: work.progress(),
    time: runningTime(clock.now() - shown.since),
  })
  return {
    async choices(room: Room, person: Person): Promise<Choices> {
      const { scope, visible } = await turns.toolCount({ room, person })
      return { models: turns.names(), scope: scopeText(scope), tools: visible }
    },
    running: ({ name }: Room): readonly RunningWork[] => [
      ...turns
        .running(name)
        .map((turn) => running(turn, { id: turn.id, who: `@${turn.model}`, since: turn.startedAt })),
      ...runs
        .running(name)
        .map((run) => running(run, { id: run.call, who: run.requester, since: run.since() })),
    ],
    questions: ({ name }: Room): readonly WaitingQuestion[] => approvals.open(name),
    /** Rejects with `StorageError`. */
    routines: ({ name }: Room, people: readonly PersonId[]): Promise<ShownRoutines> =>
      routines.routines.shown(name, people),
    onRoutines: (listener: () => void): (() => void) => routines.onChange(listener),
    /** Resolves to the budget of the room's most recent turn. Rejects with `StorageError`. */
    async lastTurn({ name }: Room): Promise<SessionStatus['lastTurn']> {
      const { model, prompt } = (await store.last(name)) ?? {}
      if (model === undefined || !prompt) return undefined
      // The target changes with the provider's count and the room's script; this sum is constant.
      const { used, window, reserved_output: reserved } = prompt.budget
      return { model, percent: window > reserved ? Math.round((100 * used) / (window - reserved)) : 0 }
    },
  }
}

const FRESH_MS = 5_000

const NO_CHOICES: Choices = { models: [], scope: '', tools: 0 }
const NO_ROUTINES: ShownRoutines = { listeners: [], nextOf: new Map() }

/** The status of one room. People who see the same status get the same object until it changes. */
export class SharedStatus {
  readonly #room: Room
  readonly #source: RoomStatus
  readonly #now: () => number
  readonly #known = new Map<string, SessionStatus>()
  /** Maps a role to its choices, found with one person of that role. */
  readonly #choices = new Map<Role, { choices: Choices; foundAt: number; person: Person }>()
  #people = 0
  #running: readonly RunningWork[] = []
  #questions: readonly WaitingQuestion[] = []
  #lastTurn: SessionStatus['lastTurn']
  #routines = NO_ROUTINES
  /** Turns that were reported as ended, though they run for another moment. */
  readonly #ended = new Set<string>()
  /** The status at the last `update`. */
  #seen = ''

  constructor(room: Room, source: RoomStatus, now: () => number) {
    this.#room = room
    this.#source = source
    this.#now = now
  }

  of(person: Person, role: Role): SessionStatus {
    this.#countPeople()
    const key = this.#keyFor(person, role)
    const status = this.#known.get(key) ?? this.#statusFor(person, role)
    this.#known.set(key, status)
    return status
  }

  running(): readonly RunningWork[] {
    return this.#running
  }

  progressOf({ turn, call }: ToolCallEntry): ToolProgress | undefined {
    return this.#running.find(({ id }) => id === (turn ?? call))?.progress
  }

  /** True if something runs or waits, so that the status changes by itself. */
  isBusy(): boolean {
    return this.#running.length + this.#questions.length > 0
  }

  end(turn: TurnId): void {
    this.#ended.add(turn)
  }

  update(): boolean {
    this.#countPeople()
    const all = this.#source.running(this.#room)
    for (const turn of this.#ended) if (!all.some(({ id }) => id === turn)) this.#ended.delete(turn)
    this.#running = all.filter(({ id }) => !this.#ended.has(id))
    this.#questions = this.#source.questions(this.#room)
    const numbers = this.#questions.map(({ number }) => number)
    const seen = `${this.#people} ${numbers.join()} ${this.#running.map(textOf).join()}`
    if (seen === this.#seen) return false
    this.#seen = seen
    this.#known.clear()
    return true
  }

  /** Resolves to true if the budget of the last turn has changed. Never rejects. */
  async readLastTurn(): Promise<boolean> {
    const found = await this.#source.lastTurn(this.#room).catch(() => undefined)
    const now = this.#lastTurn
    if (found?.model === now?.model && found?.percent === now?.percent) return false
    this.#lastTurn = found
    this.#known.clear()
    return true
  }

  /** Resolves to true if the routines have changed. Never rejects. */
  async readRoutines(people: readonly PersonId[]): Promise<boolean> {
    const before = this.#routines
    const found = await this.#source.routines(this.#room, people).catch(() => before)
    if (textOfRoutines(found) === textOfRoutines(before)) return false
    this.#routines = found
    this.#known.clear()
    return true
  }

  /** Finds a role's choices unless found recently. Resolves to true if they changed. Never rejects. */
  async admit(person: Person, role: Role): Promise<boolean> {
    const { foundAt = -Infinity } = this.#choices.get(role) ?? {}
    return this.#now() - foundAt >= FRESH_MS && (await this.#findChoices(role, person))
  }

  async updateChoices(): Promise<void> {
    await Promise.all([...this.#choices].map(([role, { person }]) => this.#findChoices(role, person)))
  }

  async #findChoices(role: Role, person: Person): Promise<boolean> {
    const before = this.#choicesOf(role)
    // Set now, so that people of the role who come in meanwhile need not query again.
    this.#choices.set(role, { choices: before, foundAt: this.#now(), person })
    const choices = await this.#source.choices(this.#room, person).catch(() => before)
    const { scope, tools, models } = before
    if (choices.scope === scope && choices.tools === tools && choices.models.join() === models.join())
      return false
    this.#choices.set(role, { choices, foundAt: this.#now(), person })
    this.#known.clear()
    return true
  }

  #choicesOf(role: Role): Choices {
    return this.#choices.get(role)?.choices ?? NO_CHOICES
  }

  #countPeople(): void {
    const count = this.#room.present().length
    if (count !== this.#people) this.#known.clear()
    this.#people = count
  }

  /** The next run of the person's own or the room's routines. */
  #nextFor({ id }: Person): number | undefined {
    const { next = Infinity, nextOf } = this.#routines
    const at = Math.min(next, nextOf.get(id) ?? Infinity)
    return at < Infinity ? at : undefined
  }

  #hasOwn({ name }: Person): boolean {
    return this.#running.some(({ requester }) => requester === name)
  }

  #questionsFor(person: Person, role: Role): readonly WaitingQuestion[] {
    return this.#questions.filter((question) => question.mayAllow(person, role))
  }

  /** People with equal status get equal keys: one per role and next run unless something runs or waits. */
  #keyFor(person: Person, role: Role): string {
    const usual = `${role} ${this.#nextFor(person) ?? ''}`
    if (!this.isBusy()) return usual
    const numbers = this.#questionsFor(person, role).map(({ number, requester }) =>
      requester === person.id ? `own ${number}` : number,
    )
    return `${usual} ${this.#hasOwn(person) ? person.name : ''} ${numbers.join()}`
  }

  #statusFor(person: Person, role: Role): SessionStatus {
    const mine = this.#questionsFor(person, role)
    const next = this.#nextFor(person)
    return {
      room: this.#room.name,
      people: this.#people,
      ...this.#choicesOf(role),
      listeners: this.#routines.listeners,
      ...(next === undefined ? {} : { next }),
      running: ownFirst(this.#running, person.name),
      questions: mine.map(({ number }) => number),
      answeredBy: answerTo(mine, person),
      othersQuestions: this.#questions.filter((question) => !mine.includes(question)),
      viewer: this.#hasOwn(person) ? person.name : '',
      ...(this.#lastTurn ? { lastTurn: this.#lastTurn } : {}),
    }
  }
}

/** The words that `QuickAnswers` reads: only admins' questions need a whole command. */
function answerTo(
  [first, ...others]: readonly WaitingQuestion[],
  { id }: Person,
): SessionStatus['answeredBy'] {
  if (first?.waitsFor === 'an admin') return 'command'
  return first?.requester === id && others.length === 0 ? 'word' : 'number'
}

const textOf = ({ id, who, doing, progress, time }: RunningWork): string =>
  `${id} ${who} ${doing} ${progress ? progressText(progress) : ''} ${time}`

const textOfRoutines = ({ listeners, next, nextOf }: ShownRoutines): string =>
  `${listeners.join()} ${next} ${[...nextOf].join()}`

/** Moves a person's own waiting turns behind the first running one, so that a narrow window shows them. */
function ownFirst(running: readonly RunningWork[], name: string): readonly RunningWork[] {
  const [first, ...others] = running
  const isOwn = ({ doing, requester }: RunningWork): boolean => doing === 'waiting' && requester === name
  if (!first || !running.some(isOwn)) return running
  return [first, ...others.filter(isOwn), ...others.filter((work) => !isOwn(work))]
}
