import { entryJson } from '../../chat/entry-json.ts'
import type { Entry } from '../../chat/entry.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Turns } from '../../turns/turns.ts'
import { ALLOW_FLAG, type CallerPermissions } from '../allow-flag.ts'
import { JSON_FLAG, type Call, type Command } from '../command.ts'
import { modelName } from '../model-name.ts'
import type { Speak, Spoken } from '../speak.ts'

export const askCommand = (turns: Turns, speak: Speak, permissionsOf: CallerPermissions): Command => ({
  name: 'ask',
  summary: 'ask a model and wait for its answer',
  room: 'here',
  flags: [JSON_FLAG, ALLOW_FLAG],
  parameters: [{ name: 'model' }, { name: 'text', optional: true, takes: 'rest' }],
  async run(call) {
    const model = modelName(call.args['model']!, turns.names())
    const how = await permissionsOf(call)
    const text = await question(call)
    if (call.session) return void (await speak(call.room!, call.person, `@${model} ${text}`))
    return await askAndWait(call, model, () => speak(call.room!, call.person, `@${model} ${text}`, how))
  },
})

/** What is on the line and what was piped in, in this order; a last word `-` waits for the pipe. */
async function question({ args, stdin }: Call): Promise<string> {
  const onLine = args['text'] ?? ''
  const waits = onLine === '' || /(^|\s)-$/.test(onLine)
  const piped = (await stdin?.(waits ? 'until-end' : 'if-ready')) ?? ''
  const text = [waits ? onLine.replace(/\s*-$/, '') : onLine, piped]
    .filter((part) => part.trim() !== '')
    .join('\n')
  if (text === '') throw new Refusal('there is nothing to ask: give a text, or pipe one in')
  return text
}

/** Prints the reply as it comes; false where the turn did not end well. */
async function askAndWait(call: Call, model: string, ask: () => Promise<Spoken>): Promise<void | false> {
  const { room, out, flags, signal } = call
  const printer = flags['json'] ? jsonPrinter(out) : textPrinter(out)
  let turn: string | undefined
  const early: (() => void)[] = []
  const soon = (print: () => void): unknown => (turn === undefined ? early.push(print) : print())
  const stop = room!.listen({
    deliver: (entry) => soon(() => printer.entry(entry, turn!)),
    stream: (delta) => soon(() => delta.turn === turn && printer.delta(delta.text)),
  })
  try {
    const { message, turns } = await ask()
    const started = turns.get(model)!
    turn = started.id
    signal.addEventListener('abort', () => started.cancel(), { once: true })
    if (flags['json']) out.line(JSON.stringify(entryJson(message)))
    for (const print of early) print()
    const last = await started.done
    printer.end()
    return last.kind === 'reply' && last.outcome === 'done' ? undefined : false
  } finally {
    stop()
  }
}

/** What prints a turn: everything of other turns is left out. */
interface Printer {
  entry(entry: Entry, turn: string): void
  delta(text: string): void
  end(): void
}

const jsonPrinter = (out: Call['out']): Printer => ({
  entry(entry, turn) {
    if ('turn' in entry && entry.turn === turn) out.line(JSON.stringify(entryJson(entry)))
  },
  delta() {},
  end() {},
})

function textPrinter(out: Call['out']): Printer {
  let atLineStart = true
  let streamed = ''
  const write = (text: string): void => {
    if (text === '') return
    out.write(text)
    atLineStart = text.endsWith('\n')
  }
  return {
    entry(entry, turn) {
      if (!('turn' in entry) || entry.turn !== turn) return
      if (entry.kind === 'notice' && entry.level === 'error') out.warn(entry.text)
      if (entry.kind === 'approval' && entry.verdict === 'denied') out.warn(entry.text)
      // Text before a tool call ends there: the next step's text begins on a line of its own.
      if (entry.kind === 'tool_call' && !atLineStart) write('\n')
      // A reply that was never streamed, or lost pieces on the way, is still printed whole.
      if (entry.kind === 'reply' && streamed === '') write(entry.text)
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
