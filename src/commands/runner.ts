import { APOLOGY, Refusal, StorageError, UsageError } from '../words/errors.ts'
import {
  type ByteQuota,
  type RateLimiter,
  mayManage,
  type Peers,
  type Room,
  type Rooms,
} from '../chat/index.ts'
import type { Sanctions } from '../chat/moderation/index.ts'
import type { Person } from '../words/person.ts'
import { utf8Bytes } from '../base/amounts.ts'
import type { Log } from '../base/environment.ts'
import { closest } from '../base/suggest.ts'
import { takeWord } from '../base/text/words.ts'
import {
  ALL_ROOMS,
  kindOf,
  Misuse,
  type Caller,
  type Command,
  type ScriptControl,
  type SessionCaller,
  type Values,
} from './command.ts'
import {
  canParse,
  checkChoices,
  parseArguments,
  parsedInvocation,
  usageError,
  type Invocation,
  type Parsed,
} from './parse.ts'
import type { Speech } from './speech.ts'
import { hintForBareCommand, hintForCommand, removes } from './hints.ts'

/** 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitStatus = 0 | 1 | 2

/** The dependencies with which the runner checks, paces and counts commands and speech. */
export interface RunnerParts {
  readonly commands: readonly Command[]
  readonly speech: Speech
  readonly rooms: Rooms
  readonly pace: RateLimiter
  readonly bytes: ByteQuota
  readonly sanctions: Pick<Sanctions, 'whyOut'>
  readonly upToDate: Peers['upToDate']
  readonly log: Log
}

/** Runs what people enter. Never throws: the caller sees the errors. */
export class Runner {
  readonly #parts: RunnerParts
  readonly #byName: ReadonlyMap<string, Command>

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#byName = new Map(
      parts.commands.flatMap((command) =>
        [command.name, ...(command.aliases ?? [])].map((name) => [name, command] as const),
      ),
    )
  }

  /** Runs one command, such as `tools off` (without a slash). */
  command(line: string, caller: Caller): Promise<ExitStatus> {
    return this.#reportErrors(caller, async () => {
      const { command, parsed } = this.#parseCommand(line, caller)
      await this.#checkAndCharge(command, line, caller)
      return await this.#runLogged(command, parsed, caller)
    })
  }

  /** Runs one command with known values, without parsing. */
  use(use: Invocation, caller: Caller): Promise<ExitStatus> {
    return this.#reportErrors(caller, async () => {
      const command = this.#byName.get(use.verb)
      if (!command) throw new TypeError(`there is no command ${use.verb}`)
      await this.#checkAndCharge(command, JSON.stringify([use.verb, use.room, use.args]), caller)
      return await this.#runLogged(command, parsedInvocation(command, use), caller)
    })
  }

  /** True if a session shows the words of this command, such as `msg bob hello`, without an echo. */
  showsWords(line: string): boolean {
    const { word, rest } = takeWord(line.trimStart())
    const command = this.#byName.get(word.toLowerCase())
    return command?.showsWords === true && canParse(command, rest)
  }

  speech(text: string, caller: SessionCaller): Promise<ExitStatus> {
    return this.#reportErrors(caller, async () => {
      await this.#catchUp(caller, 'not stored')
      this.#assertPresent(caller)
      this.#parts.bytes.take(caller.person, utf8Bytes(text))
      const { room, isPipe } = caller.session
      const marks = isPipe ? ({ byProgram: true } as const) : {}
      const { hint } = await this.#parts.speech.say(room, caller.person, text, marks)
      const missed = hint ?? hintForBareCommand(text, (word) => this.#byName.has(word))
      if (missed !== undefined) caller.out.warn(missed)
    })
  }

  async #reportErrors(caller: Caller, job: () => Promise<void | false>): Promise<ExitStatus> {
    try {
      await this.#parts.pace.next(caller.person, caller.signal)
      return (await job()) === false ? 1 : 0
    } catch (error) {
      return this.#explain(error, caller)
    }
  }

  #parseCommand(line: string, caller: Caller): { readonly command: Command; readonly parsed: Parsed } {
    const { word, rest } = takeWord(line.trimStart())
    const command = this.#byName.get(word.toLowerCase())
    if (!command) throw this.#unknownCommand(word, caller)
    // An error repeats the typed word: after `/nick` it does not say `rename`.
    const asTyped = { ...command, name: word.toLowerCase() }
    return { command, parsed: parseArguments(asTyped, rest, kindOf(caller)) }
  }

  #unknownCommand(word: string, caller: Caller): UsageError {
    const kind = kindOf(caller)
    const slash = kind === 'session' ? '/' : ''
    if (word === '') return new UsageError(`which command? ${slash}help lists them`)
    const shown = slash + word.slice(0, 40)
    const wanted = word.toLowerCase()
    const advice = hintForCommand(wanted, kind)
    if (advice !== undefined) return new UsageError(`there is no command ${shown}; ${advice}`)
    const names = this.#parts.commands.map(({ name }) => name)
    // Names are suggested before aliases. A guess must not remove anything.
    const isSafe = (name: string): boolean => !removes(this.#byName.get(name)?.name ?? '')
    const near =
      closest(wanted, names.filter(isSafe)) ?? closest(wanted, [...this.#byName.keys()].filter(isSafe))
    const hint = near ? `did you mean ${slash}${near}?` : `${slash}help lists them`
    return new UsageError(`unknown command ${shown}; ${hint}`)
  }

  /** Rejects with `Refusal` if the person may do nothing now, or has stored too much today. */
  async #checkAndCharge(command: Command, words: string, caller: Caller): Promise<void> {
    if (!command.allowedWhenCutOff) await this.#catchUp(caller, 'not done')
    this.#assertPresent(caller)
    const { charge, take } = this.#parts.bytes
    const pay = command.allowedOverQuota ? charge : take
    pay(caller.person, utf8Bytes(words))
  }

  /** Reads what other servers decided while this server was paused. Rejects with `Refusal` if it cannot. */
  async #catchUp({ person }: Caller, undone: 'not stored' | 'not done'): Promise<void> {
    try {
      await this.#parts.upToDate()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      throw new Refusal(`${undone}: ${troubleFor(person, error)}`, { cause: error })
    }
  }

  /** Throws `Refusal` if the person was kicked, banned or disconnected. Must be called after each wait. */
  #assertPresent({ person, session, signal }: Caller): void {
    const why = this.#parts.sanctions.whyOut(person)
    if (why !== undefined) throw new Refusal(`${why}; this was not done`)
    if (signal.aborted) throw new Refusal('you were disconnected before this was done; it was not done')
    if (session?.isThere() === false)
      throw new Refusal(`you were put out of ${session.room.name} before this was done; it was not done`)
  }

  /** Logs only the verb and the room of a command, none of its other words. */
  async #runLogged(command: Command, parsed: Parsed, caller: Caller): Promise<void | false> {
    const { person, session } = caller
    const since = performance.now()
    let isDone = false
    try {
      const outcome = await this.#runCommand(command, parsed, caller)
      isDone = outcome !== false
      return outcome
    } finally {
      const ms = Math.round(performance.now() - since)
      const facts = { person: person.name, verb: command.name, room: session?.room.name, done: isDone, ms }
      this.#parts.log.debug(facts, 'a command ended')
    }
  }

  async #runCommand(
    command: Command,
    { roomName, ...values }: Parsed,
    caller: Caller,
  ): Promise<void | false> {
    const room = await this.#roomOf(command, roomName, caller)
    checkChoices(command, values.args, kindOf(caller))
    const inBackground = (work: Promise<unknown>): void =>
      void work.catch((error: unknown) => this.#explain(error, caller))
    const guarded = this.#withGuardedStdin(caller, async () => {
      if (!room) return
      await this.#parts.rooms.get(room.name, caller.person)
      if (command.room === 'here') await checkRights(command, values.args, room, caller.person)
    })
    try {
      if (command.room === 'here') {
        if (!room) throw new TypeError(`${command.name} needs a room, and the parser let it pass without one`)
        await checkRights(command, values.args, room, caller.person)
      }
      return await command.run({ ...guarded, inBackground, ...values, room })
    } catch (error) {
      if (!(error instanceof Misuse)) throw error
      throw usageError(command, kindOf(caller), error.message, this.#byName.get(error.verb ?? command.name))
    }
  }

  async #roomOf(
    { room }: Command,
    name: string | undefined,
    { session, person }: Caller,
  ): Promise<Room | undefined> {
    if (name === undefined) return session?.room
    return room === 'here-or-all' && name === ALL_ROOMS
      ? undefined
      : await this.#parts.rooms.get(name, person)
  }

  /** Charges the text that a script pipes in, and checks all rights again once the text has arrived. */
  #withGuardedStdin(caller: Caller, checkAgain: () => Promise<void>): Caller {
    const { script, person } = caller
    if (!script) return caller
    const stdin: ScriptControl['stdin'] = async (wait) => {
      const text = await script.stdin(wait)
      await this.#catchUp(caller, 'not done')
      this.#assertPresent(caller)
      await checkAgain()
      this.#parts.bytes.take(person, utf8Bytes(text))
      return text
    }
    return { ...caller, script: { ...script, stdin } }
  }

  /** Shows the error to the caller. Logs errors that the caller did not cause. */
  #explain(error: unknown, { out, session, person }: Caller): 1 | 2 {
    const { log } = this.#parts
    const show = (message: string): void => out.warn(session ? message : this.#withoutSlashes(message))
    if (error instanceof UsageError) {
      // An error without a usage line contains the caller's words, which must not change.
      if (error.usage === undefined) out.warn(error.message)
      else {
        show(error.message)
        out.warn(`usage: ${error.usage}`)
      }
      return 2
    }
    if (error instanceof Refusal) {
      show(error.message)
    } else if (error instanceof StorageError) {
      log.error({ error, reason: error.reason }, 'the storage failed during a command')
      out.warn(`${error.reading ? 'not read' : 'not stored'}: ${troubleFor(person, error)}`)
    } else {
      log.error({ error, session: session !== undefined, room: session?.room.name }, 'a command threw')
      out.warn(APOLOGY)
    }
    return 1
  }

  /** Removes the slash of commands such as `/join`. Paths keep their slashes. */
  #withoutSlashes(message: string): string {
    return message.replace(/(?<![\w/.~-])\/([a-z]+)(?![\w/.-])/g, (all, word: string) =>
      this.#byName.has(word) ? word : all,
    )
  }
}

const troubleFor = (person: Person, { message, forOperators }: StorageError): string =>
  person.admin ? forOperators : message

/** Rejects with `Refusal` if the command declares that the person has no right to this use. */
async function checkRights(
  { rights, needsVoice }: Command,
  args: Values['args'],
  room: Room,
  person: Person,
): Promise<void> {
  const isManaging = rights && 'manage' in rights && (rights.when?.(args) ?? true)
  if (isManaging) await needRight(room, person, rights.manage)
  const isUsual = rights && 'manage' in rights ? isManaging : true
  if (needsVoice ? needsVoice(args) : isUsual) room.needVoice(person)
}

/** Rejects with `Refusal` unless the person may manage the room and speak in it. `what` completes "can …". */
export async function needManager(room: Room, person: Person, what: string): Promise<void> {
  await needRight(room, person, what)
  room.needVoice(person)
}

async function needRight(room: Room, person: Person, what: string): Promise<void> {
  if (mayManage(await room.roleOf(person))) return
  throw new Refusal(`only the owner of ${room.name}, an op or an admin can ${what}`)
}
