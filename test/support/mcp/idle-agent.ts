import type { Agent } from '../../../src/mcp/server/agent.ts'

/** An agent called ann that sees every room and does nothing, but for what `own` has. */
export const idleAgent = (own: Partial<Agent> = {}): Agent => ({
  name: () => 'ann',
  run: async () => ({ ok: true, out: '', told: '' }),
  follow: async () => undefined,
  unfollow() {},
  sees: async () => true,
  readMessages: () => () => {},
  listen() {},
  signal: new AbortController().signal,
  ...own,
})
