import { entryJson } from '../../chat/entry-json.ts'
import type { Entry } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Turns } from '../../turns/turns.ts'
import type { Caller, Output } from '../caller.ts'
import { defineCommand, JSON_FLAG, type Command, type CommandContext } from '../define.ts'
import type { Said, Speech } from '../speech.ts'
import { ALLOW_FLAG, ALLOW_RULE, type CallerPermissions } from './shared/allow-flag.ts'
import { modelName } from './shared/model-name.ts'

export const askCommand = (
  turns: Pick<Turns, 'names'>,
  speech: Speech,
  permissionsOf: CallerPermissions,
): Command =>
  defineCommand({
    name: 'ask',
    summary: 'ask a model and wait for its answer',
    room: 'here',
    flags: [JSON_FLAG, ALLOW_FLAG],
    arguments: [
      { name: 'model', about: 'its name, with or without @' },
      {
        name: 'text',
        about: 'the question; what a script pipes in follows it',
        optional: true,
        takes: 'rest',
      },
    ],
    example: '@guide tools',
    rights: { rule: ALLOW_RULE },
    async run(context) {
      const { args, flags, room, person, session, stdin } = context
      const model = modelName(args.model, turns.names())
      const how = await permissionsOf(context, flags.allow)
      const text = `@${model} ${await question(args.text, stdin)}`
      if (session) return void (await speech.say(room, person, text))
      const printer = flags.json ? jsonPrinter(context.out) : textPrinter(context.out)
      return await askAndWait(context, model, printer, () => speech.say(room, person, text, how))
    },
  })

/** What is on the line and what was piped in, in this order; a last word `-` waits for the pipe. */
async function question(onLine = '', stdin: Caller['stdin']): Promise<string> {
  const waits = onLine === '' || /(^|\s)-$/.test(onLine)
  const piped = (await stdin?.(waits ? 'until-end' : 'if-ready')) ?? ''
  const text = [waits ? onLine.replace(/\s*-$/, '') : onLine, piped]
    .filter((part) => part.trim() !== '')
    .join('\n')
  if (text === '') throw new Refusal('there is nothing to ask: give a text, or pipe one in')
  return text
}

/** Prints the reply as it comes; false where the turn did not end well. */
async function askAndWait(
  { room, signal }: CommandContext<'here'>,
  model: string,
  printer: Printer,
  ask: () => Promise<Said>,
): Promise<void | false> {
  let turn: string | undefined
  const early: ((turn: string) => void)[] = []
  const soon = (print: (turn: string) => void): void => {
    if (turn === undefined) early.push(print)
    else print(turn)
  }
  const stop = room.listen({
    deliver: (entry) => soon((mine) => 'turn' in entry && entry.turn === mine && printer.entry(entry)),
    stream: ({ turn: of, text, thinking }) => soon((mine) => of === mine && !thinking && printer.delta(text)),
  })
  try {
    const { message, turns } = await ask()
    const started = turns.get(model)
    if (!started) throw new TypeError(`@${model} was mentioned, and no turn was started`)
    turn = started.id
    signal.addEventListener('abort', () => started.cancel(), { once: true })
    printer.asked(message)
    for (const print of early) print(turn)
    const last = await started.done
    printer.end()
    return last.kind === 'reply' && last.outcome === 'done' ? undefined : false
  } finally {
    stop()
  }
}

/** What prints a turn. */
interface Printer {
  /** The question, as it was stored. */
  asked(message: Entry): void
  /** An entry of the turn. */
  entry(entry: Entry): void
  delta(text: string): void
  end(): void
}

function jsonPrinter(out: Output): Printer {
  const entry = (one: Entry): void => out.line(safeJson(entryJson(one)))
  return { asked: entry, entry, delta() {}, end() {} }
}

function textPrinter(out: Output): Printer {
  let atLineStart = true
  let streamed = ''
  const write = (text: string): void => {
    if (text === '') return
    out.write(text)
    atLineStart = text.endsWith('\n')
  }
  return {
    asked() {},
    entry(entry) {
      if (entry.kind === 'notice' && entry.level === 'error') out.warn(entry.text)
      if (entry.kind === 'approval' && entry.verdict === 'denied') out.warn(entry.text)
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
    end() {
      if (!atLineStart) write('\n')
    },
  }
}
