import { Refusal } from '../../../chat/errors.ts'
import type { Caller } from '../../caller.ts'

/** What an agent's config names as its server: `ssh host mcp serve`. */
export async function serve({ agent }: Pick<Caller, 'agent'>): Promise<void> {
  if (!agent || !('serveMcp' in agent))
    throw new Refusal('an agent runs it, and not a session: ssh HOST mcp serve')
  await agent.serveMcp()
}
