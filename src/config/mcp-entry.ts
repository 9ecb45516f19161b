import { z } from 'zod'
import { isMcpName, isPrivateWay, MCP_NAME_RULE, MCP_TRUSTS, OAUTH_GRANTS } from '../adapters/mcp/config.ts'
import { address } from './address.ts'
import { variable } from './variable.ts'

/** A name of a header (RFC 9110, 5.1). */
const header = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'write the name of a header')

/** An address whose way nobody reads: tokens go there, or lead there. */
const privateAddress = (example: string) =>
  address(example, 'client_secret_env').refine(
    (text) => isPrivateWay(new URL(text)),
    'has to begin with https://, unless it is on this machine',
  )

/** The login of a server that wants one, as far as it is not found out. */
const oauth = z
  .strictObject({
    grant: z.enum(OAUTH_GRANTS).default('authorization_code'),
    issuer: privateAddress('https://auth.example.org').optional(),
    client_id: z.string().min(1).optional(),
    client_secret_env: variable.optional(),
    scopes: z
      .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'write one word for each scope'))
      .min(1)
      .optional(),
    redirect_url: privateAddress('https://chat.example.org/oauth/callback').optional(),
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

/** One `[[mcp]]`. */
export const mcpEntry = z
  .strictObject({
    name: z.string().refine(isMcpName, MCP_NAME_RULE),
    url: address('http://localhost:8080/mcp', 'token_env').optional(),
    token_env: variable.optional(),
    header_env: z.record(header, variable).default({}),
    oauth: oauth.optional(),
    command: z.array(z.string().min(1)).min(1).optional(),
    env: z.record(z.string(), z.string()).default({}),
    pass_env: z.array(variable).default([]),
    cwd: z.string().optional(),
    sandbox: z.union([z.boolean(), z.literal('network')], 'write true, "network" or false').default(false),
    trust: z.enum(MCP_TRUSTS).default('ask'),
  })
  .refine(
    (server) => (server.url === undefined) !== (server.command === undefined),
    'give either url or command',
  )
  .refine(
    (server) =>
      server.command !== undefined ||
      (server.cwd === undefined && [...Object.keys(server.env), ...server.pass_env].length === 0),
    'env, pass_env and cwd are for a command',
  )
  .refine((server) => server.command !== undefined || server.sandbox === false, {
    path: ['sandbox'],
    message: 'is for a command',
  })
  .refine((server) => server.url !== undefined || server.token_env === undefined, {
    path: ['token_env'],
    message: 'is for a url; give a command its key by pass_env',
  })
  .refine((server) => server.url !== undefined || Object.keys(server.header_env).length === 0, {
    path: ['header_env'],
    message: 'is for a url; give a command its key by pass_env',
  })
  .refine((server) => server.oauth === undefined || isPrivateWay(new URL(server.url ?? 'http:x')), {
    path: ['oauth'],
    message: 'is for a url that begins with https://, or is on this machine: a token is sent there',
  })
  .refine((server) => server.oauth === undefined || server.token_env === undefined, {
    path: ['oauth'],
    message: 'is for a server without token_env: its login brings the token',
  })
