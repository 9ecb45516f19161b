import type { VerbOutcome, VerbUse } from '../../adapters/mcp/server/agent.ts'
import type { Person } from '../../chat/people/person.ts'
import type { AgentControl } from '../../commands/caller.ts'
import type { Runner } from '../../commands/runner.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import { plainOf } from '../../lib/text/styled.ts'
import { pageTurn } from '../script-streams.ts'

/** For whom a command is run. */
export interface VerbCaller {
  readonly person: Person
  readonly agent: AgentControl
  readonly account: Account
  readonly onLine: ((line: string) => void) | undefined
  readonly signal: AbortSignal
}

/** Characters of what one command prints: it is in memory as a whole, once for each agent that asks. */
const MAX_OUTPUT = 1_048_576

const TOO_LONG = `the answer is longer than ${MAX_OUTPUT} characters; ask for less`

/** The width of what is drawn. */
const COLUMNS = 80

/** Runs a command for an agent, and keeps what it prints. Never rejects. */
export async function runVerb(
  { input, ...use }: VerbUse,
  runner: Pick<Runner, 'use'>,
  { person, agent, account, onLine, signal }: VerbCaller,
): Promise<VerbOutcome> {
  const printed: string[] = []
  const told: string[] = []
  const tooLong = new AbortController()
  const afterwards: (() => void)[] = []
  let size = 0
  const write = (text: string): void => {
    size += text.length
    if (size > MAX_OUTPUT) tooLong.abort(new DOMException(TOO_LONG, 'AbortError'))
    else printed.push(text)
  }
  const status = await runner.use(use, {
    person,
    out: {
      write,
      line(text) {
        const line = plainOf(text)
        write(`${line}\n`)
        onLine?.(line)
      },
      warn: (text) => void told.push(text),
      columns: COLUMNS,
      ready: () => pageTurn(account),
    },
    signal: AbortSignal.any([signal, tooLong.signal]),
    script: { stdin: async () => input ?? '', afterwards: (work) => afterwards.push(work), agent },
  })
  for (const work of afterwards) work()
  if (tooLong.signal.aborted) return { ok: false, out: '', told: TOO_LONG }
  return { ok: status === 0, out: printed.join(''), told: told.join('\n') }
}
