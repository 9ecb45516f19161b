import { Refusal } from '../chat/errors.ts'
import type { Output } from '../commands/caller.ts'
import type { Account } from '../lib/scheduler.ts'
import { plainOf } from '../lib/text/styled.ts'
import type { ExecPipe } from '../session/ports.ts'

/** The width of what is drawn for a script. */
const SCRIPT_COLUMNS = 80

/** What a command writes for a script, in order: all of it is in the pipe's own queue at once, which counts it. */
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

/** What reading and printing a page is counted as. */
const PAGE_MS = 5

/** Keeps the pages of all who print apart: whoever else waits waits for one page at most, however many print. */
export const pageTurn = (account: Account): Promise<void> => account.restBefore(PAGE_MS)

/** With `if-ready`, a standard input on which nothing comes for this long counts as empty. */
const READY_MS = 250

/**
 * All that a script pipes in, as text. `if-ready` does not wait for an input on which nothing comes at once. Throws
 * `Refusal` if it is longer than `maxBytes`.
 */
export async function scriptInput(
  pipe: ExecPipe,
  maxBytes: number,
  wait: 'until-end' | 'if-ready',
): Promise<string> {
  const chunks = pipe.stdin[Symbol.asyncIterator]()
  const first = chunks.next()
  if (wait === 'if-ready' && !(await within(first, READY_MS))) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let chunk = await first; !chunk.done; chunk = await chunks.next()) {
    size += chunk.value.length
    if (size > maxBytes) throw new Refusal(`standard input is longer than ${maxBytes} bytes; send less`)
    text += decoder.decode(chunk.value, { stream: true })
  }
  return text + decoder.decode()
}

async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false)
  })
  const inTime = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return inTime
}
