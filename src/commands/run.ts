import type { Chat } from '../chat/chat.ts'
import { Refusal, StorageError, UsageError } from '../chat/errors.ts'
import type { Pace } from '../chat/pace.ts'
import type { Log } from '../chat/ports.ts'
import { closest } from '../lib/suggest.ts'
import { takeWord } from '../lib/words.ts'
import type { Call, Command } from './command.ts'
import { parse } from './parse.ts'
import type { Speak } from './speak.ts'

/** What a line is run with: everything of a `Call` but what the line itself says. */
export type CallerContext = Omit<Call, 'args' | 'flags'>

/** 0 done, 1 refused or failed, 2 wrong usage. */
export type ExitStatus = 0 | 1 | 2

/** Runs what people enter; never throws: trouble is told to the caller. */
export interface Runner {
  /** One command, such as `tools off` (without a slash). */
  command(line: string, caller: CallerContext): Promise<ExitStatus>
  /** Something said in the caller's room. */
  speech(text: string, caller: CallerContext): Promise<ExitStatus>
}

/** The one place where a command's trouble becomes words for people. */
export function createRunner(parts: {
  readonly commands: readonly Command[]
  readonly speak: Speak
  readonly chat: Chat
  readonly pace: Pace
  readonly log: Log
}): Runner {
  const byName = new Map(parts.commands.map((command) => [command.name, command]))

  return {
    command: (line, caller) => guarded(caller, () => run(line, caller)),
    speech: (text, caller) =>
      guarded(caller, async () => {
        await parts.speak(caller.room!, caller.person, text)
        return 0
      }),
  }

  async function guarded(caller: CallerContext, job: () => Promise<0 | 1>): Promise<ExitStatus> {
    try {
      await parts.pace.next(caller.person.id)
      return await job()
    } catch (error) {
      return explain(error, caller)
    }
  }

  async function run(line: string, caller: CallerContext): Promise<0 | 1> {
    const { word, rest } = takeWord(line.trimStart())
    const command = byName.get(word.toLowerCase())
    if (!command) throw unknownCommand(word, caller)
    const { roomName, ...parsed } = parse(command, rest, caller.session ? 'session' : 'script')
    const room = roomName === undefined ? caller.room : await parts.chat.room(roomName, caller.person)
    return (await command.run({ ...caller, ...parsed, ...(room ? { room } : {}) })) === false ? 1 : 0
  }

  function unknownCommand(word: string, { session }: CallerContext): UsageError {
    const slash = session ? '/' : ''
    if (word === '') return new UsageError(`which command? ${slash}help lists them`, `${slash}help`)
    const near = closest(word.toLowerCase(), byName.keys())
    const hint = near ? `did you mean ${slash}${near}?` : `${slash}help lists them`
    return new UsageError(`unknown command ${slash}${word.slice(0, 40)}; ${hint}`, `${slash}help`)
  }

  function explain(error: unknown, { out, session, room }: CallerContext): 1 | 2 {
    if (error instanceof UsageError) {
      out.warn(error.message)
      if (!/^(unknown|which) command/.test(error.message)) out.warn(`usage: ${error.usage}`)
      return 2
    }
    if (error instanceof Refusal) {
      out.warn(error.message)
    } else if (error instanceof StorageError) {
      parts.log.error({ error, reason: error.reason }, 'the store refused')
      out.warn(`not stored: ${error.message}`)
    } else {
      parts.log.error({ error, session: session !== undefined, room: room?.name }, 'a command threw')
      out.warn('something went wrong on the server; it was logged')
    }
    return 1
  }
}
