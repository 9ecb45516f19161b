import type { Person } from '../../chat/people/person.ts'
import type { Log } from '../../chat/ports.ts'
import type { Account } from '../../lib/jobs/scheduler.ts'
import type { ExecPipe } from '../../session/ports.ts'
import { version } from '../version.ts'
import type { Agents } from './agents.ts'

/** `ssh host mcp serve`: an agent on a script's pipe, until its input ends. Rejects with `StorageError`. */
export type ServeMcp = (person: Person, pipe: ExecPipe, account: Account) => Promise<void>

export const createServeMcp =
  (agents: Agents, log: Log): ServeMcp =>
  async (person, pipe, account) => {
    const agent = await agents.open(person, { signal: pipe.signal, account })
    try {
      const { serveAgentOverPipe } = await adapter()
      const { stdin, out, draining } = pipe
      await serveAgentOverPipe(
        agent,
        { stdin, out, draining, work: (piece) => account.run(piece) },
        {
          version: version(),
          report: (error) => log.debug({ error, person: person.name }, 'an agent sent what has no meaning'),
        },
      )
    } finally {
      await agent.close()
    }
  }

/** Loaded with the first agent: most servers have none. */
const adapter = () => import('../../adapters/mcp/server/stdio.ts')
