/**
 * MCP over streamable HTTP. Each client has a session with an agent of its own, or, in the revision of 2026-07-28, which has no
 * sessions, shares one with all that bring the same token. It must not know how HTTP is served, nor what a token is worth: it is
 * given requests of somebody who was let in.
 */
import type { Person } from '../../../chat/people/person.ts'
import type { MonotonicClock } from '../../../chat/ports.ts'
import type { Agent } from '../server/ports.ts'
import type { CreateMcpServer } from '../server/server.ts'

/** An agent that leaves all rooms when it is closed. */
export interface ClosableAgent extends Agent {
  close(): Promise<void>
}

/** What serves MCP is made from. */
export interface McpHttpParts {
  /** Opens an agent of somebody. Rejects with `StorageError`. */
  readonly openAgent: (person: Person) => Promise<ClosableAgent>
  readonly createMcpServer: CreateMcpServer
  readonly limits: SessionLimits
  readonly clock: MonotonicClock
  /** Of sshawl. */
  readonly version: string
  /** What the SDK reports besides its answers. */
  readonly report: (error: Error) => void
}

/** The keys of `[limits]` that concern sessions over HTTP. */
export interface SessionLimits {
  /** Agents of one person at once. */
  readonly exec_per_person: number
  /** Seconds after which an agent that asks nothing and hears nothing is gone. */
  readonly mcp_idle_s: number
  /** Characters of events that one keeps for a client whose stream breaks. */
  readonly queue_bytes: number
}
