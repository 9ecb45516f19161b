import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createDeferred } from '../../../src/base/jobs/waiting.ts'
import type { AnyServer } from '../server.ts'
import type { Stage } from '../stage.ts'
import { sshArguments } from '../ssh.ts'
import { createAgentClient } from './agent-client.ts'

/** Somebody's agent over a real `ssh` process. */
export type TestAgent = Awaited<ReturnType<typeof openAgent>>

/** Joins somebody's agent. `modern`: it speaks the revision of 2026-07-28, else the one before. */
export async function openAgent(
  stage: Stage<AnyServer>,
  name: string,
  options: { readonly modern?: true; readonly key?: string } = {},
) {
  const target = {
    user: name,
    port: stage.server.port,
    key: await stage.home.key(options.key ?? name),
    options: ['-o', 'LogLevel=ERROR'],
  }
  const transport = new StdioClientTransport({
    command: 'ssh',
    args: sshArguments(target, ['mcp', 'serve']),
    stderr: 'pipe',
  })
  const agent = createAgentClient(options)
  const closed = createDeferred<void>()
  Object.assign(agent.client, { onclose: closed.resolve })
  await agent.client.connect(transport)
  return Object.assign(agent, {
    pid: transport.pid!,
    /** Resolves once the client has lost its server. */
    closed: closed.promise,
  })
}
