import type { Entry, NoticeEntry, TurnBill } from '../words/entry.ts'
import { Refusal, StorageError } from '../words/errors.ts'
import { SYSTEM } from '../words/names.ts'
import type { Log } from '../base/environment.ts'
import { exactAmount } from '../base/price.ts'
import { headOf } from '../base/text/characters.ts'
import { cleanText, isBlank } from '../base/text/clean-text.ts'
import { WrapError } from '../wrap/index.ts'
import type { Spent } from './billing.ts'
import { ModelError, type StepResult } from '../wrap/loop/index.ts'
import { labelOf, speakerOf } from './personas.ts'
import { isSilence } from './routines/index.ts'
import type { TurnRecorder } from './turn-log.ts'
import type { Ending, Notice, Turn, TurnEnd } from './turn.ts'

/** The reason with which a turn's signal is aborted; the message is for the room. */
export class TurnStopped extends Error {
  override readonly name = 'TurnStopped'
}

/** Returns a signal that aborts when `stop` does or after `seconds`, and `end`, which removes the timer. */
export function withinTime(
  seconds: number,
  model: string,
  stop: AbortSignal,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const late = new AbortController()
  const reason = new TurnStopped(`@${model} took longer than ${seconds} s; it was stopped`)
  const timer = setTimeout(() => late.abort(reason), seconds * 1000)
  return { signal: AbortSignal.any([stop, late.signal]), end: () => clearTimeout(timer) }
}

/** Characters of a thought or a call that are stored with the turn. */
const MAX_THOUGHT_CHARS = 4000

export function doneEnding(
  model: string,
  { text, thoughts, writtenCalls, end }: Pick<StepResult, 'text' | 'thoughts' | 'writtenCalls' | 'end'>,
): Ending {
  const thought = isBlank(text)
    ? thoughts
        .map((one) => one.text)
        .join('\n')
        .trim()
    : ''
  const call = writtenCalls.join('\n')
  const ending: Ending = {
    outcome: 'done',
    ...(call && { writtenCall: headOf(cleanText(call), MAX_THOUGHT_CHARS) }),
    ...(thought && { thought: headOf(cleanText(thought), MAX_THOUGHT_CHARS) }),
  }
  const cut = (why: string): Ending => ({
    ...ending,
    notice: { level: 'info', text: `@${model}'s answer was cut ${why}` },
  })
  if (end.reason === 'length') return cut('at its max_output')
  if (end.reason === 'window') return cut('since its window is full')
  return end.reason === 'refused' ? cut(`by its provider (${end.word})`) : ending
}

export const stoppedEnding = (text: string): Ending => ({
  outcome: 'stopped',
  notice: { level: 'error', text },
})

/** Logs the error in full; the notice has only what helps people in the room. */
export function endingOf(error: unknown, model: string, log: Log): Ending {
  if (error instanceof TurnStopped)
    return { outcome: 'stopped', notice: { level: 'info', text: error.message } }
  // A quota was used up in mid-turn.
  if (error instanceof Refusal) return stoppedEnding(`@${model} was stopped: ${error.message}`)
  if (error instanceof WrapError) return failedEnding(error.message)
  if (error instanceof ModelError) {
    log.warn({ model, ...error.facts, error: error.message }, 'a model failed')
    return failedEnding(
      error.message.startsWith(`${model}: `) ? `@${error.message}` : `@${model}: ${error.message}`,
    )
  }
  log.error({ model, error }, 'a turn failed')
  if (error instanceof StorageError) return failedEnding(`@${model}'s turn ended: ${error.message}`)
  return failedEnding(`@${model}'s turn failed inside the server; its log says why`)
}

const failedEnding = (text: string): Ending => ({ outcome: 'failed', notice: { level: 'error', text } })

type EndedTurn = Pick<Turn, 'recorder' | 'room' | 'settings' | 'persona' | 'spent' | 'routine' | 'message'>

/**
 * Records the reply and the notice in the room, then the turn's end, even if the room could not be told.
 * `text`: the model's last text, sanitized; `saidBefore`: the model said anything. Does not record a
 * routine's silent answer: `last` is then the answered entry. Rejects with `StorageError`.
 */
export async function recordEnd(
  ended: EndedTurn,
  { text, saidBefore }: { readonly text: string; readonly saidBefore: boolean },
  ending: Ending,
): Promise<Pick<TurnEnd, 'last' | 'reply'>> {
  const { recorder, room, spent, routine, message } = ended
  const { outcome } = ending
  const turn = recorder.id
  const isSilent = routine !== undefined && isSilence(text)
  const bill = spent ? billOf(spent, recorder) : {}
  const reply = (said: string): Promise<Entry> =>
    room.record({ kind: 'reply', ...speakerOf(ended), text: said, outcome, turn, ...bill })
  const notify = (notice: Notice, unpaid: TurnBill = {}): Promise<Entry> =>
    room.record({ kind: 'notice', author: SYSTEM, turn, ...notice, ...unpaid })

  try {
    if (ending.outcome === 'done') {
      if (isSilent) return { last: ending.notice ? await notify(ending.notice, bill) : message }
      const nothing = saidBefore ? '(no further answer)' : '(no answer)'
      const said = await reply(
        text || (ending.writtenCall ? ONLY_CALL : ending.thought ? ONLY_THOUGHT : nothing),
      )
      return { last: ending.notice ? await notify(ending.notice) : said, reply: said }
    }
    const isShown = text !== '' && !isSilent
    if (isShown) await reply(text)
    return { last: await notify(ending.notice, isShown ? {} : bill) }
  } finally {
    const why = ending.outcome === 'failed' ? ending.notice.text : unsaidIn(ending)
    await recorder.end({ outcome, usage: spent?.usage, ...(why === undefined ? {} : { error: why }) })
  }
}

const ONLY_THOUGHT = '(it only thought; /turn shows what)'

const ONLY_CALL = '(it wrote a tool call as text; /turn shows it)'

function unsaidIn(ending: Ending): string | undefined {
  if (ending.outcome !== 'done') return undefined
  if (ending.writtenCall) return `it wrote a tool call as text: ${ending.writtenCall}`
  return ending.thought ? `it only thought: ${ending.thought}` : undefined
}

const billOf = ({ usage, cost }: Spent, recorder: TurnRecorder): TurnBill => ({
  usage,
  durationMs: Math.round(recorder.elapsedMs()),
  ...(cost === undefined ? {} : { cost: exactAmount(cost) }),
})

/** Records which model answers now, in the room and in the stored turn. Rejects with `StorageError`. */
export async function recordHandOver(
  { recorder, room, persona, settings: { name } }: Turn,
  error: unknown,
  next: string,
  log: Log,
): Promise<void> {
  const { notice } = endingOf(error, name, log)
  await recorder.handOver(labelOf({ settings: { name: next }, ...(persona ? { persona } : {}) }))
  await room.record({
    kind: 'notice',
    level: 'info',
    author: SYSTEM,
    turn: recorder.id,
    text: `${notice?.text ?? `@${name} failed`}; @${next} ${ASKED_INSTEAD}`,
  })
}

const ASKED_INSTEAD = 'is asked instead'

/** True for the notice that another model is asked. The turn goes on after it. */
export const isHandOver = ({ text }: Pick<NoticeEntry, 'text'>): boolean => text.endsWith(ASKED_INSTEAD)
