/** MCP servers whose tools rooms use: connections and pinned definitions. */
export { type McpEvents, type McpServer, type McpServers, createMcpServers } from './servers.ts'
export { type LaunchMcp, launchUnconfined } from './stdio.ts'
