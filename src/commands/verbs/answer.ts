import type { Room } from '../../chat/index.ts'
import type { Mention, RunningTurn } from '../../turns/index.ts'
import { entryJson, entryLine } from '../../words/entry-text.ts'
import type { Entry } from '../../words/entry.ts'
import { Refusal, whyAborted } from '../../words/errors.ts'
import { safeJson } from '../../base/json.ts'
import { closest } from '../../base/suggest.ts'
import { flag, type RoomContext, type Output } from '../command.ts'
import { needManager } from '../runner.ts'
import type { Services } from './common.ts'

/**
 * Calls `ask` and prints the reply as it streams; with `json`, prints the question and the entries of its
 * turn as JSON lines instead; `withParts` also those of its side turns, as notes if not as JSON. Resolves to
 * false if the turn did not end with a complete reply. Aborting `signal` stops the turn.
 */
export async function printAnswer(
  { room, person, out, signal, flags }: RoomContext & { readonly flags: { readonly json: boolean } },
  ask: () => Promise<{ readonly message: Entry; readonly turn: RunningTurn }>,
  how: { readonly withParts?: true } = {},
): Promise<void | false> {
  const printer = flags.json ? jsonPrinter(out) : textPrinter(out)
  let turn: string | undefined
  const early: ((turn: string) => void)[] = []
  const soon = (print: (turn: string) => void): void => {
    if (turn === undefined) early.push(print)
    else print(turn)
  }
  const stop = room.listen({
    deliver: (entry) =>
      soon((mine) => {
        if ('turn' in entry && entry.turn === mine) printer.entry(entry)
        else if (how.withParts && entry.thread === mine) printer.part(entry)
      }),
    stream: ({ text, turn: of, thinking }) =>
      soon((mine) => of === mine && !thinking && printer.delta?.(text)),
  })
  try {
    const { message, turn: started } = await ask()
    turn = started.id
    const gone = (): void => {
      const why = whyAborted(signal, `${person.name} went away`)
      started.cancel(`@${started.model}'s turn for ${person.name} was stopped: ${why}`)
    }
    signal.addEventListener('abort', gone, { once: true })
    if (signal.aborted) gone()
    printer.asked?.(message)
    for (const print of early) print(turn)
    const last = await started.done
    const isAnswered = last.kind === 'reply' && last.outcome === 'done'
    printer.end?.(isAnswered)
    return isAnswered ? undefined : false
  } finally {
    stop()
  }
}

interface Printer {
  asked?(message: Entry): void
  entry(entry: Entry): void
  part(entry: Entry): void
  delta?(text: string): void
  end?(isAnswered: boolean): void
}

function jsonPrinter(out: Output): Printer {
  const entry = (one: Entry): void => out.line(safeJson(entryJson(one)))
  return { asked: entry, entry, part: entry }
}

function textPrinter(out: Output): Printer {
  let atLineStart = true
  let streamed = ''
  /** The last notice, for example about the person who stopped the turn. */
  let told: string | undefined
  let isWarned = false
  const warn = (text: string): void => {
    out.warn(text)
    isWarned = true
  }
  const write = (text: string): void => {
    if (text === '') return
    out.write(text)
    atLineStart = text.endsWith('\n')
  }
  return {
    entry(entry) {
      if (entry.kind === 'notice' && entry.level === 'error') warn(entry.text)
      else if (entry.kind === 'notice') told = entry.text
      if (entry.kind === 'approval' && entry.verdict === 'denied') warn(entry.text)
      // Text before a tool call ends there; the next step's text begins on a new line.
      if (entry.kind === 'tool_call' && !atLineStart) write('\n')
      if (entry.kind !== 'reply') return
      // Prints the whole reply if it was never streamed, or lost pieces on the way.
      if (streamed === '') write(entry.text)
      // Text before a call is a part of its own; the next part is streamed again.
      streamed = ''
    },
    part: (entry) => out.warn(entryLine(entry)),
    delta(text) {
      streamed += text
      write(text)
    },
    end(isAnswered) {
      if (!atLineStart) write('\n')
      if (!isAnswered && !isWarned) out.warn(told ?? 'the turn ended without a whole answer; turn says how')
    },
  }
}

/** `--allow run_command`, repeatable: tools that a script allows in advance, because nobody can ask it. */
export const ALLOW_FLAG = flag('allow', 'a tool that may run without asking; may be repeated', {
  value: 'TOOL',
  repeats: true,
  forScripts: true,
})

/**
 * Resolves to the permissions of a caller's tools, or to none if people are asked in the room. `allowed`: the
 * values of `ALLOW_FLAG`, tools by name or id. Rejects with `Refusal`.
 */
export async function callerPermissions(
  services: Services,
  context: RoomContext,
  allowed: readonly string[],
): Promise<Pick<Mention, 'permissions'>> {
  const names = allowed.flatMap((value) => value.split(',')).filter((name) => name !== '')
  if (!context.session && !context.script?.agent)
    return { permissions: services.approvals.forScript(await toolIds(services, context, names)) }
  if (names.length === 0) return {}
  throw new Refusal('--allow is for scripts: in a session you are asked, and answer with /allow')
}

async function toolIds(
  { turns }: Services,
  { room, person }: RoomContext,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set()
  await needManager(room, person, 'allow tools from a script')
  const { tools } = await turns.scope({ room, person })
  const ids = names.map((name) => {
    const found = tools.find(({ tool }) => tool.name === name || tool.id === name)
    if (found) return [found.tool.id, ...found.tool.aliasOf]
    throw new Refusal(`there is no tool called ${name.slice(0, 64)} in ${room.name}; see /tools`)
  })
  return new Set(ids.flat())
}

export const completeModel = (_where: unknown, { turns }: Services): readonly string[] =>
  turns.names().map((name) => `@${name}`)

/** Completes the models and personas that can be asked in the room. */
export const completeAsked = async (
  { room }: { readonly room: Pick<Room, 'name'> },
  { turns }: Services,
): Promise<readonly string[]> => (await turns.personas.namesIn(room.name)).map((name) => `@${name}`)

/** Returns the model that `@qwen`, `qwen` or `@QWEN` means. Throws `Refusal`. */
export function modelNamed(word: string, names: readonly string[]): string {
  const name = word.replace(/^@/, '').toLowerCase()
  if (names.includes(name)) return name
  const near = closest(name, names)
  throw new Refusal(
    `there is no model called @${name.slice(0, 40)}; ${near ? `did you mean @${near}?` : '/models lists them'}`,
  )
}
