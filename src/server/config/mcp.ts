import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import {
  isMcpName,
  isPrivateWay,
  MCP_NAME_RULE,
  MCP_TRUSTS,
  OAUTH_GRANTS,
  type McpByCommand,
  type McpByUrl,
  type McpServerConfig,
} from '../../mcp/index.ts'
import type { Environment } from './environment.ts'
import { address, camelKeys, headerEnv, valuesOf, variable } from './values.ts'

/** A URL that gets tokens, so the connection must be private. */
const privateAddress = (example: string) =>
  address(example, 'client_secret_env').refine(
    (text) => isPrivateWay(new URL(text)),
    'has to begin with https://, unless it is on this machine',
  )

const oauth = z
  .strictObject({
    grant: z
      .enum(OAUTH_GRANTS)
      .default('authorization_code')
      .describe('`client_credentials`: sshawl logs in with the secret, without a person.'),
    issuer: privateAddress('https://auth.example.org')
      .optional()
      .describe('The address of the authorization server; required with `client_id`.'),
    client_id: z
      .string()
      .min(1)
      .optional()
      .describe('The client id of sshawl at the issuer; needed if sshawl cannot register itself there.'),
    client_secret_env: variable('The environment variable with the secret of `client_id`.').optional(),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'write one word for each scope'))
      .min(1)
      .optional()
      .describe('The scopes to request; absent: the scopes that the server names.'),
    redirect_url: privateAddress('https://chat.example.org/oauth/callback')
      .optional()
      .describe(
        'The address to which the issuer sends the browser after the login, such as `"https://chat.example.org/oauth/callback"`.',
      ),
  })
  .refine((login) => login.client_id === undefined || login.issuer !== undefined, {
    path: ['issuer'],
    message: 'say who knows this client_id, such as "https://auth.example.org"',
  })
  .refine((login) => login.client_secret_env === undefined || login.client_id !== undefined, {
    path: ['client_secret_env'],
    message: 'is for a client_id',
  })
  .refine((login) => login.grant === 'authorization_code' || login.client_secret_env !== undefined, {
    path: ['grant'],
    message: 'client_credentials needs client_id and client_secret_env',
  })

export const mcpEntry = z
  .strictObject({
    name: z
      .string()
      .refine(isMcpName, MCP_NAME_RULE)
      .describe('The name of the server: 1-32 of `a-z 0-9 _ -`; its tools are called NAME_tool.'),
    url: address('http://localhost:8080/mcp', 'token_env')
      .optional()
      .describe('The address of a server on the network; either this or `command`.'),
    token_env: variable('The environment variable with the bearer token for the server.').optional(),
    header_env: headerEnv,
    oauth: oauth.optional().describe('Settings for an OAuth login that the server does not announce itself.'),
    command: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe(
        'A program with its arguments, which speaks MCP on standard input and output; it is started without a shell.',
      ),
    env: z.record(z.string(), z.string()).default({}).describe('Environment variables for the program.'),
    pass_env: z
      .array(variable(''))
      .default([])
      .describe('Environment variables of sshawl that the program gets too, such as those with keys.'),
    cwd: z.string().optional().describe('The directory of the program; relative to the config file.'),
    sandbox: z
      .union([z.boolean(), z.literal('network')], 'write true, "network" or false')
      .default(false)
      .describe(
        '`true`: the program runs in the sandbox without network access; `"network"`: in the sandbox with network access.',
      ),
    trust: z
      .enum(MCP_TRUSTS)
      .default('ask')
      .describe(
        '`"ask"`: people are asked for every call; `"annotations"`: except for tools that declare themselves read-only.',
      ),
  })
  .refine(
    (server) => (server.url === undefined) !== (server.command === undefined),
    'give either url or command',
  )
  .refine(
    (server) =>
      server.command !== undefined ||
      (server.cwd === undefined && [...Object.keys(server.env), ...server.pass_env].length === 0),
    'env, pass_env and cwd are allowed only with command, not with url',
  )
  .refine((server) => server.command !== undefined || server.sandbox === false, {
    path: ['sandbox'],
    message: 'is allowed only with command, not with url',
  })
  .refine((server) => server.url !== undefined || server.token_env === undefined, {
    path: ['token_env'],
    message: 'is allowed only with url; give a command its key by pass_env',
  })
  .refine((server) => server.url !== undefined || Object.keys(server.header_env).length === 0, {
    path: ['header_env'],
    message: 'is allowed only with url; give a command its key by pass_env',
  })
  .refine((server) => server.oauth === undefined || isPrivateWay(new URL(server.url ?? 'http:x')), {
    path: ['oauth'],
    message: 'is allowed only with a url on this machine or with https://, because tokens are sent there',
  })
  .refine((server) => server.oauth === undefined || server.token_env === undefined, {
    path: ['oauth'],
    message: 'is not allowed together with token_env: the login brings the token',
  })

type McpEntry = z.output<typeof mcpEntry>

/** Non-secret variables that programs need to find their files. */
const KEPT_VARIABLES = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']

export const environmentOfChildren = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    KEPT_VARIABLES.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** Resolves relative paths at the file; reads secrets from the environment by name. */
export const mcpFrom = (
  entries: readonly McpEntry[],
  file: string | undefined,
  env: Environment,
): McpServerConfig[] => entries.map((entry) => serverConfigFrom(entry, file, env))

/** A server that an admin connected. Throws a `ZodError`. */
export const connectedMcp = (entry: unknown, env: Environment = process.env): McpServerConfig =>
  serverConfigFrom(mcpEntry.parse(entry), undefined, env)

const serverConfigFrom = (entry: McpEntry, file: string | undefined, env: Environment): McpServerConfig => ({
  name: entry.name,
  trust: entry.trust,
  reach: entry.url === undefined ? byCommand(entry, file, env) : byUrl(entry, entry.url, env),
})

function byCommand(
  { command = [], cwd, sandbox, env: own, pass_env: passed }: McpEntry,
  file = '',
  env: Environment,
): McpByCommand {
  const { values, unset } = valuesOf(Object.fromEntries(passed.map((name) => [name, name])), env)
  return {
    command,
    env: { ...environmentOfChildren(env), ...own, ...values },
    ...(passed.length > 0 && { secretEnv: passed }),
    ...(cwd !== undefined && { cwd: resolve(dirname(file), cwd) }),
    ...(sandbox !== false && { sandbox: sandbox === 'network' ? 'network' : 'alone' }),
    ...(unset.length > 0 && { unset }),
  }
}

function byUrl({ header_env, token_env, oauth }: McpEntry, url: string, env: Environment): McpByUrl {
  const { client_secret_env: secretEnv, ...login } = oauth ?? {}
  const token = valuesOf(token_env === undefined ? {} : { Authorization: token_env }, env)
  const other = valuesOf(header_env, env)
  const secret = valuesOf(secretEnv === undefined ? {} : { clientSecret: secretEnv }, env)
  const bearer = Object.entries(token.values).map(([name, value]) => [name, `Bearer ${value}`] as const)
  const unset = [...token.unset, ...other.unset, ...secret.unset]
  return {
    url,
    headers: { ...Object.fromEntries(bearer), ...other.values },
    ...(oauth && { oauth: { ...camelKeys({ ...login, grant: oauth.grant }), ...secret.values } }),
    ...(unset.length > 0 && { unset }),
  }
}
