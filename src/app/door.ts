import { Refusal } from '../chat/errors.ts'
import type { People } from '../chat/people.ts'
import { plainOf, type Styled } from '../lib/styled.ts'
import { runSession } from '../session/session.ts'
import type { ClientHandler, ExecPipe } from '../session/ports.ts'
import type { SeatParts } from './seat.ts'
import { takeSeat } from './seat.ts'

/** The width of what is drawn where nobody has told us theirs. */
const COLUMNS = 80

/** What the door opens on. */
export interface DoorParts extends SeatParts {
  readonly people: People
  /** Bytes that one script may pipe in. */
  readonly stdinBytes: number
}

/** How long a script's standard input may stay silent before a command with its text on the line goes on without it. */
const READY_MS = 250

/** Lets people in: a session in the rooms, or one command for a script. */
export function createClientHandler(parts: DoorParts): ClientHandler {
  return {
    identify: (name, key) => parts.people.identify(name, key.fingerprint),
    shell: (person, terminal) =>
      runSession({ terminal, person, host: takeSeat(person, parts, () => terminal.size()?.columns) }),
    async exec(person, line, pipe) {
      const out = printer(pipe)
      const status = await parts.runner.command(line, {
        person,
        out,
        stdin: (patience) => piped(pipe, parts.stdinBytes, patience),
        signal: pipe.signal,
      })
      await out.flushed()
      return status
    },
  }
}

/** Lines and errors of a script, in order; `flushed` resolves when all of them are on their way. */
function printer(pipe: ExecPipe) {
  let last: Promise<void> = Promise.resolve()
  const then = (write: () => Promise<void>): void => {
    last = last.then(write)
  }
  return {
    line: (text: string | Styled) => then(() => pipe.out(`${plainOf(text)}\n`)),
    write: (text: string) => then(() => pipe.out(text)),
    warn: (text: string) => then(() => pipe.err(`${text}\n`)),
    columns: COLUMNS,
    flushed: () => last,
  }
}

async function piped(pipe: ExecPipe, most: number, patience: 'until-end' | 'if-ready'): Promise<string> {
  const chunks = pipe.stdin[Symbol.asyncIterator]()
  const first = chunks.next()
  const ready = patience === 'until-end' || (await within(first, READY_MS))
  if (!ready) return ''
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (let chunk = await first; !chunk.done; chunk = await chunks.next()) {
    size += chunk.value.length
    if (size > most) throw new Refusal(`standard input is longer than ${most} bytes; send less`)
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
