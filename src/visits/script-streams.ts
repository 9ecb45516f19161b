import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../words/errors.ts'
import { createDeferred, createProgressTimer } from '../base/jobs/waiting.ts'
import { duration } from '../base/amounts.ts'
import type { Account } from '../base/jobs/scheduler.ts'
import { plainOf } from '../base/text/styled.ts'
import type { ExecPipe } from '../terminal/index.ts'
import type { Output } from '../commands/index.ts'

const SCRIPT_COLUMNS = 80

/** Writes lines in order. All output goes at once into the pipe's own queue, which limits it. */
export function scriptOutput(pipe: ExecPipe, account: Account): Output & { ready(): Promise<void> } {
  let ready: Promise<void> = Promise.resolve()
  return {
    line(text) {
      ready = pipe.out(`${plainOf(text)}\n`)
    },
    write(text) {
      ready = pipe.out(text)
    },
    warn(text) {
      ready = pipe.err(`${text}\n`)
    },
    columns: SCRIPT_COLUMNS,
    async ready() {
      await ready
      await pageTurn(account)
    },
  }
}

/** Charge in ms for reading and printing a page. */
const PAGE_MS = 5

/** Lets others run between pages: they wait for one page at most, however many people print. */
export const pageTurn = (account: Account): Promise<void> => account.restBefore(PAGE_MS)

/** With `if-ready`, silence for this many ms is an empty input. */
const READY_MS = 250

/** `stallMs` is the longest time in ms with almost no input. */
export interface InputLimits {
  readonly bytes: number
  readonly stallMs: number
}

/** `if-ready` does not await silent input. Throws `Refusal` if the input is too long or does not end. */
export async function scriptInput(
  pipe: ExecPipe,
  limits: InputLimits,
  wait: 'until-end' | 'if-ready',
): Promise<string> {
  using chunks = untilStalled(pipe.stdin, limits.stallMs)
  const first = chunks.next()
  if (wait === 'if-ready' && (await Promise.race([first, sleep(READY_MS, 'late')])) === 'late') {
    first.catch(() => {})
    return ''
  }
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let chunk = await first; !chunk.done; chunk = await chunks.next()) {
    size += chunk.value.length
    if (size > limits.bytes)
      throw new Refusal(`standard input is longer than ${limits.bytes} bytes; send less`)
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}

interface PipedChunks extends Disposable {
  /** Rejects with `Refusal` if the input stalls. */
  next(): Promise<IteratorResult<Uint8Array>>
}

function untilStalled(input: AsyncIterable<Uint8Array>, stallMs: number): PipedChunks {
  const stalled = createDeferred<never>()
  stalled.promise.catch(() => {})
  const timer = createProgressTimer(stallMs, () => stalled.reject(new Refusal(stalledInputText(stallMs))))
  const chunks = input[Symbol.asyncIterator]()
  return {
    async next() {
      timer.run()
      const chunk = await Promise.race([chunks.next(), stalled.promise])
      if (!chunk.done) timer.moved(chunk.value.length)
      return chunk
    },
    [Symbol.dispose]: () => timer.stop(),
  }
}

const stalledInputText = (stallMs: number): string =>
  `standard input has not ended, and almost nothing came on it for ${duration(stallMs)}; nothing was done: end it, or write the text on the line`
