import { entryJson } from '../../../chat/entry-json.ts'
import type { Entry } from '../../../chat/entry.ts'
import { whyAborted } from '../../../chat/errors.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import type { RunningTurn } from '../../../turns/turns.ts'
import type { CommandContext, Output } from '../../command.ts'

/** What a model was asked and is at work on. */
export interface AskedTurn {
  readonly message: Entry
  readonly turn: RunningTurn
}

/**
 * Prints the reply to what `ask` asks, as it comes, or the entries of its turn as JSON. Resolves when the turn has ended,
 * to false where it did not end well. The turn is stopped where the caller goes away.
 */
export async function printAnswer(
  {
    room,
    person,
    out,
    signal,
    flags,
  }: CommandContext<'here'> & { readonly flags: { readonly json: boolean } },
  ask: () => Promise<AskedTurn>,
): Promise<void | false> {
  const printer = flags.json ? jsonPrinter(out) : textPrinter(out)
  let turn: string | undefined
  const early: ((turn: string) => void)[] = []
  const soon = (print: (turn: string) => void): void => {
    if (turn === undefined) early.push(print)
    else print(turn)
  }
  const stop = room.listen({
    deliver: (entry) => soon((mine) => 'turn' in entry && entry.turn === mine && printer.entry(entry)),
    stream: ({ text, turn: of, thinking }) => soon((mine) => of === mine && !thinking && printer.delta(text)),
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
    printer.asked(message)
    for (const print of early) print(turn)
    const last = await started.done
    const isAnswered = last.kind === 'reply' && last.outcome === 'done'
    printer.end(isAnswered)
    return isAnswered ? undefined : false
  } finally {
    stop()
  }
}

/** What prints a turn. */
interface Printer {
  /** What was asked, as it was stored. */
  asked(message: Entry): void
  /** An entry of the turn. */
  entry(entry: Entry): void
  delta(text: string): void
  /** False where there is no whole answer: whoever waits for it is told why. */
  end(isAnswered: boolean): void
}

function jsonPrinter(out: Output): Printer {
  const entry = (one: Entry): void => out.line(safeJson(entryJson(one)))
  return { asked: entry, entry, delta() {}, end() {} }
}

function textPrinter(out: Output): Printer {
  let atLineStart = true
  let streamed = ''
  /** What the room was told last, such as who stopped the turn. */
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
    asked() {},
    entry(entry) {
      if (entry.kind === 'notice' && entry.level === 'error') warn(entry.text)
      else if (entry.kind === 'notice') told = entry.text
      if (entry.kind === 'approval' && entry.verdict === 'denied') warn(entry.text)
      // Text before a tool call ends there: the next step's text begins on a line of its own.
      if (entry.kind === 'tool_call' && !atLineStart) write('\n')
      if (entry.kind !== 'reply') return
      // A reply that was never streamed, or lost pieces on the way, is still printed whole.
      if (streamed === '') write(entry.text)
      // What a model said before a call is one part; the next part is streamed anew.
      streamed = ''
    },
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
