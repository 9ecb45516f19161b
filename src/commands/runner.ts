import type { Rooms } from '../chat/rooms.ts'
import { Refusal, StorageError, UsageError } from '../chat/errors.ts'
import type { ByteQuota } from '../chat/limits/byte-quota.ts'
import type { Pace } from '../chat/limits/pace.ts'
import type { Peers } from '../chat/peers.ts'
import type { Sanctions } from '../chat/moderation/sanctions.ts'
import type { Log } from '../chat/ports.ts'
import type { Room } from '../chat/room.ts'
import { utf8Bytes } from '../lib/bytes.ts'
import { closest } from '../lib/suggest.ts'
import { takeWord } from '../lib/text/words.ts'
import { kindOf, type Caller, type ScriptControl, type SessionCaller } from './caller.ts'
import { ALL_ROOMS, type BaseContext, type Command, type Values } from './define.ts'
import { instead } from './habits.ts'
import { createExplain, troubleFor } from './explain.ts'
import { missedCommand } from './missed-words.ts'
import { checkChoices, parse, type Parsed } from './parse.ts'
import { checkRights } from './rights.ts'
import { Misuse, misuse } from './usage.ts'
import type { Speech } from './speech.ts'
import { usedAs, type CommandUse } from './use.ts'

/** 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitStatus = 0 | 1 | 2

/** Runs what people enter; never throws: trouble is told to the caller. */
export interface Runner {
  /** One command, such as `tools off` (without a slash). */
  command(line: string, caller: Caller): Promise<ExitStatus>
  /** One command whose words are known already: nothing is parsed. */
  use(use: CommandUse, caller: Caller): Promise<ExitStatus>
  /** Something said in the room that the session is in. */
  speech(text: string, caller: SessionCaller): Promise<ExitStatus>
}

/** The runner of these commands. What is said and done with it is paced and counted. */
export function createRunner(parts: {
  readonly commands: readonly Command[]
  readonly speech: Speech
  readonly rooms: Rooms
  readonly pace: Pace
  readonly bytes: ByteQuota
  readonly sanctions: Pick<Sanctions, 'whyOut'>
  readonly upToDate: Peers['upToDate']
  readonly log: Log
}): Runner {
  const byName = new Map(
    parts.commands.flatMap((command) =>
      [command.name, ...(command.aliases ?? [])].map((name) => [name, command] as const),
    ),
  )

  const { bytes } = parts
  const explain = createExplain(parts.log, new Set(byName.keys()))

  return {
    command(line, caller) {
      return guarded(caller, async () => {
        const { command, parsed } = understood(line, caller)
        await allowed(command, line, caller)
        return await carryOut(command, parsed, caller)
      })
    },
    use(use, caller) {
      return guarded(caller, async () => {
        const command = byName.get(use.verb)
        if (!command) throw new TypeError(`there is no command ${use.verb}`)
        await allowed(command, JSON.stringify([use.verb, use.room, use.args]), caller)
        return await carryOut(command, usedAs(command, use), caller)
      })
    },
    speech: (text, caller) =>
      guarded(caller, async () => {
        await upToDate(caller, 'not stored')
        needToBeHere(caller)
        bytes.take(caller.person, utf8Bytes(text))
        const { hint } = await parts.speech.say(caller.session.room, caller.person, text)
        const missed = hint ?? missedCommand(text, (word) => byName.has(word))
        if (missed !== undefined) caller.out.warn(missed)
      }),
  }

  async function guarded(caller: Caller, job: () => Promise<void | false>): Promise<ExitStatus> {
    try {
      await parts.pace.next(caller.person, caller.signal)
      return (await job()) === false ? 1 : 0
    } catch (error) {
      return explain(error, caller)
    }
  }

  /** Takes what the command of these words costs. Rejects where its person may do nothing, or with what `upToDate` does. */
  async function allowed(command: Command, words: string, caller: Caller): Promise<void> {
    if (!command.waitsForNothing) await upToDate(caller, 'not done')
    needToBeHere(caller)
    const pay = command.protects ? bytes.charge : bytes.take
    pay(caller.person, utf8Bytes(words))
  }

  /** A server that stood still knows first what others decided while it did. Rejects with `Refusal` where it cannot. */
  async function upToDate({ person }: Caller, undone: 'not stored' | 'not done'): Promise<void> {
    try {
      await parts.upToDate()
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      throw new Refusal(`${undone}: ${troubleFor(person, error)}`, { cause: error })
    }
  }

  /** Asked after each wait: whoever was put out meanwhile does nothing more. Throws `Refusal`. */
  function needToBeHere({ person, session, signal }: Caller): void {
    const why = parts.sanctions.whyOut(person)
    if (why !== undefined) throw new Refusal(`${why}; this was not done`)
    if (signal.aborted) throw new Refusal('you were gone before this was done; it was not done')
    if (session?.isThere() === false)
      throw new Refusal(`you were put out of ${session.room.name} before this was done; it was not done`)
  }

  /** What a script pipes in counts like what it writes. Once it has come, they must still have the right to the command. */
  function counted(caller: Caller, checkAgain: () => Promise<void>): Caller {
    const { script, person } = caller
    if (!script) return caller
    const stdin: ScriptControl['stdin'] = async (wait) => {
      const text = await script.stdin(wait)
      await upToDate(caller, 'not done')
      needToBeHere(caller)
      await checkAgain()
      bytes.take(person, utf8Bytes(text))
      return text
    }
    return { ...caller, script: { ...script, stdin } }
  }

  /** Throws `UsageError`. */
  function understood(line: string, caller: Caller): { readonly command: Command; readonly parsed: Parsed } {
    const { word, rest } = takeWord(line.trimStart())
    const command = byName.get(word.toLowerCase())
    if (!command) throw unknownCommand(word, caller)
    return { command, parsed: parse(command, rest, kindOf(caller)) }
  }

  async function carryOut(
    command: Command,
    { roomName, ...values }: Parsed,
    caller: Caller,
  ): Promise<void | false> {
    const isForAll = command.room === 'here-or-all' && roomName === ALL_ROOMS
    const room =
      roomName === undefined
        ? caller.session?.room
        : isForAll
          ? undefined
          : await parts.rooms.get(roomName, caller.person)
    checkChoices(command, values.args, kindOf(caller))
    const inBackground = (work: Promise<unknown>): void =>
      void work.catch((error: unknown) => explain(error, caller))
    const { session, ...others } = counted(caller, async () => {
      if (!room) return
      await parts.rooms.get(room.name, caller.person)
      if (command.room === 'here') await checkRights(command, values.args, room, caller.person)
    })
    const own = session ? { session: { ...session, inBackground } } : {}
    try {
      return await runIn(room, command, { ...others, ...own, ...values })
    } catch (error) {
      if (!(error instanceof Misuse)) throw error
      throw misuse(command, kindOf(caller), error.message, byName.get(error.verb ?? command.name))
    }
  }

  function unknownCommand(word: string, caller: Caller): UsageError {
    const kind = kindOf(caller)
    const slash = kind === 'session' ? '/' : ''
    if (word === '') return new UsageError(`which command? ${slash}help lists them`)
    const advice = instead(word.toLowerCase(), kind)
    if (advice !== undefined)
      return new UsageError(`there is no command ${slash}${word.slice(0, 40)}; ${advice}`)
    const names = parts.commands.map(({ name }) => name)
    // What help shows comes before the other words for it.
    const near = closest(word.toLowerCase(), names) ?? closest(word.toLowerCase(), byName.keys())
    const hint = near ? `did you mean ${slash}${near}?` : `${slash}help lists them`
    return new UsageError(`unknown command ${slash}${word.slice(0, 40)}; ${hint}`)
  }
}

/** Gives a command the room that it declared, once the person has the right to what they ask. */
async function runIn(
  room: Room | undefined,
  command: Command,
  context: BaseContext & Values,
): Promise<void | false> {
  switch (command.room) {
    case 'none':
      return await command.run(context)
    case 'optional':
    case 'here-or-all':
      return await command.run({ ...context, room })
    case 'here':
      if (!room) throw new TypeError(`${command.name} needs a room, and the parser let it pass without one`)
      await checkRights(command, context.args, room, context.person)
      return await command.run({ ...context, room })
  }
}
