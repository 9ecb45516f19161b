/** Both sides of MCP: servers that offer tools, and agents that take part. */
export {
  MCP_NAME_RULE,
  MCP_TRUSTS,
  type McpByCommand,
  type McpByUrl,
  type McpServerConfig,
  OAUTH_GRANTS,
  isMcpName,
  isPrivateWay,
  namesakeRule,
} from './config.ts'
export { LoginError } from './login-fetch.ts'
export { type McpLogins, type ServerLogin, createMcpLogins } from './logins.ts'
export { displayTarget, isSecretName } from './redact.ts'
