/** Agents that take part by MCP, over pipes and HTTP. */
export type { Agent, ClosableAgent, VerbOutcome, VerbRun, VerbUse } from './agent.ts'
export { McpHttp } from './http.ts'
export { type CreateMcpServer, createMcpServer } from './server.ts'
export { serveAgentOverPipe } from './stdio.ts'
