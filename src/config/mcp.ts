import { dirname, resolve } from 'node:path'
import type { McpByCommand, McpByUrl, McpOAuth, McpServerConfig } from '../adapters/mcp/config.ts'
import type { Environment } from './environment.ts'
import { mcpEntry } from './mcp-entry.ts'
import type { FileConfig } from './schema.ts'

type Written = FileConfig['mcp'][number]
type WrittenLogin = NonNullable<Written['oauth']>

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

/** The servers of `[[mcp]]`. Paths are relative to the file; secrets come from the environment, by name. */
export const mcpFrom = (
  written: FileConfig['mcp'],
  file: string | undefined,
  env: Environment,
): McpServerConfig[] => written.map((entry) => oneFrom(entry, file, env))

/** A server that an admin connected, whose keys were those of `[[mcp]]`. Throws a `ZodError`. */
export const connectedMcp = (entry: unknown, env: Environment = process.env): McpServerConfig =>
  oneFrom(mcpEntry.parse(entry), undefined, env)

const oneFrom = (entry: Written, file: string | undefined, env: Environment): McpServerConfig => ({
  name: entry.name,
  trust: entry.trust,
  reach: entry.url === undefined ? byCommand(entry, file, env) : byUrl(entry, entry.url, env),
})

function byCommand({ command = [], cwd, ...entry }: Written, file = '', env: Environment): McpByCommand {
  const { values, unset } = valuesOf(Object.fromEntries(entry.pass_env.map((name) => [name, name])), env)
  return {
    command,
    env: { ...environmentOfChildren(env), ...entry.env, ...values },
    ...(entry.pass_env.length > 0 ? { secretEnv: entry.pass_env } : {}),
    ...(cwd === undefined ? {} : { cwd: resolve(dirname(file), cwd) }),
    ...(entry.sandbox === false ? {} : { sandbox: entry.sandbox === 'network' ? 'network' : 'alone' }),
    ...unset,
  }
}

function byUrl({ header_env, token_env, oauth }: Written, url: string, env: Environment): McpByUrl {
  const token = valuesOf(token_env === undefined ? {} : { Authorization: token_env }, env)
  const other = valuesOf(header_env, env)
  const secretEnv = oauth?.client_secret_env
  const secret = valuesOf(secretEnv === undefined ? {} : { clientSecret: secretEnv }, env)
  const bearer = Object.entries(token.values).map(([name, value]) => [name, `Bearer ${value}`] as const)
  const unset = [token, other, secret].flatMap((values) => values.unset.unset ?? [])
  return {
    url,
    headers: { ...Object.fromEntries(bearer), ...other.values },
    ...(oauth ? { oauth: { ...loginFrom(oauth), ...secret.values } } : {}),
    ...(unset.length > 0 ? { unset } : {}),
  }
}

const loginFrom = (oauth: WrittenLogin): McpOAuth => ({
  grant: oauth.grant,
  ...(oauth.issuer === undefined ? {} : { issuer: oauth.issuer }),
  ...(oauth.client_id === undefined ? {} : { clientId: oauth.client_id }),
  ...(oauth.scopes === undefined ? {} : { scopes: oauth.scopes }),
  ...(oauth.redirect_url === undefined ? {} : { redirectUrl: oauth.redirect_url }),
})

interface Values {
  readonly values: Readonly<Record<string, string>>
  readonly unset: { readonly unset?: readonly string[] }
}

/** What these variables hold, by what it is for. A blank one counts as not set. */
function valuesOf(names: Readonly<Record<string, string>>, env: Environment): Values {
  const found = Object.entries(names).map(([what, name]) => ({ what, name, value: env[name]?.trim() }))
  const unset = found.flatMap(({ name, value }) => (value ? [] : [name]))
  return {
    values: Object.fromEntries(found.flatMap(({ what, value }) => (value ? [[what, value]] : []))),
    unset: unset.length > 0 ? { unset } : {},
  }
}
