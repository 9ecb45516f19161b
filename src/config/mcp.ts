import { dirname, resolve } from 'node:path'
import type { McpServerConfig } from '../adapters/mcp/config.ts'
import type { Environment } from './environment.ts'
import type { FileConfig } from './schema.ts'

type Written = FileConfig['mcp'][number]

/** What a program needs to find its files and others, and nothing that could be a secret. */
const KEPT_VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']

/** The variables that a child of the server gets, besides its own. */
export const environmentOfChildren = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    KEPT_VARIABLES.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** The servers of `[[mcp]]`. Paths are relative to the file; tokens come from the environment, by name. */
export const mcpFrom = (
  written: FileConfig['mcp'],
  file: string | undefined,
  env: Environment,
): McpServerConfig[] =>
  written.map((mcp) => ({ name: mcp.name, trust: mcp.trust, reach: reachOf(mcp, file, env) }))

function reachOf(mcp: Written, file = '', env: Environment): McpServerConfig['reach'] {
  const { url, command = [], cwd, token_env: tokenEnv } = mcp
  if (url === undefined)
    return {
      command,
      env: { ...environmentOfChildren(env), ...mcp.env },
      ...(cwd === undefined ? {} : { cwd: resolve(dirname(file), cwd) }),
    }
  const token = tokenEnv === undefined ? undefined : env[tokenEnv]?.trim()
  return { url, ...(token ? { token } : {}), ...(tokenEnv === undefined ? {} : { tokenEnv }) }
}
