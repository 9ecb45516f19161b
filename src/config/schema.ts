import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { NATS_EXAMPLE, natsAddress } from '../adapters/wire/config.ts'
import { ENGINE_NAMES } from '../adapters/lua/engines.ts'
import { BACKENDS, PROVIDERS } from '../adapters/models/index.ts'
import type { RequiredKey } from '../adapters/models/provider.ts'
import { ENCODINGS } from '../adapters/tokens/encodings.ts'
import type { RequiredSearchKey, SearchProvider } from '../adapters/web/search-providers.ts'
import { MODEL_NAME, MODEL_NAME_RULE, ROOM_NAME } from '../chat/people/names.ts'
import { address } from './address.ts'
import { hasSpace, TOO_SMALL } from './context-window.ts'
import { keepAlive } from './keep-alive.ts'
import { mcpEntry } from './mcp-entry.ts'
import { price } from './price.ts'
import { isPostgresUrl, POSTGRES_EXAMPLE } from './postgres-url.ts'
import { publicKey } from './public-key.ts'
import { variable } from './variable.ts'
import { SEARCH_PROVIDER_NAMES, SEARCH_PROVIDERS } from '../adapters/web/search-providers.ts'

/**
 * sshawl.toml, key by key. Every object is strict, so that a misspelt key is an error and not a default.
 * Names are as in the file: snake_case.
 */

const positive = (fallback: number) => z.int().min(1).max(2_000_000_000).default(fallback)
const orOff = (fallback: number) => z.int().min(0).max(2_000_000_000).default(fallback)

/** With fewer, the search for tools may not fit, and then a model has none at all. */
const LEAST_TOOLS_TOKENS = 500

const scope = z.union([z.string(), z.array(z.string())])

const modelFields = z.strictObject({
  name: z.string().regex(MODEL_NAME, `use ${MODEL_NAME_RULE}`),
  backend: z.enum(BACKENDS),
  model: z.string().min(1).optional(),
  endpoint: address('http://localhost:11434', 'api_key_env').optional(),
  api_key_env: variable.optional(),
  context_window: z.int().min(1).max(100_000_000).default(32_768),
  max_output: z.int().min(1).max(10_000_000).optional(),
  encoding: z.enum(ENCODINGS).default('o200k_base'),
  system_prompt: z.string().max(100_000).default(''),
  keep_alive: keepAlive.optional(),
  price: price.optional(),
  fallback: z.string().min(1).optional(),
  tools: scope.default('all'),
  enabled: z.boolean().default(true),
})

/** True unless this key is missing and its provider cannot do without it. */
const hasRequired =
  (key: RequiredKey) =>
  (entry: z.output<typeof modelFields>): boolean =>
    entry[key] !== undefined || !PROVIDERS[entry.backend].required.includes(key)

/** One entry of `[[models]]`. */
export const modelSchema = modelFields
  .refine((entry) => entry.name !== 'guide' || entry.backend === 'guide', {
    path: ['name'],
    message: '@guide is the helper that needs no network; choose another name',
  })
  .refine(hasRequired('model'), {
    path: ['model'],
    message: 'say which model of the backend, such as "qwen3:8b"',
  })
  .refine(hasSpace, { path: ['context_window'], message: TOO_SMALL })
  .refine((entry) => (entry.max_output ?? 0) < entry.context_window, {
    path: ['max_output'],
    message: 'must be less than context_window: the answer is a part of it',
  })
  .refine(hasRequired('endpoint'), {
    path: ['endpoint'],
    message: 'say where the server is, such as "http://localhost:8000/v1"',
  })

const searchFields = z.strictObject({
  provider: z.enum(SEARCH_PROVIDER_NAMES),
  url: z.url({ protocol: /^https?$/, error: 'write an address such as http://localhost:8888' }).optional(),
  api_key_env: variable.optional(),
  engine_id: z.string().min(1).optional(),
})

/** As `hasRequired`, for a search provider. */
const searchHasRequired =
  (key: RequiredSearchKey) =>
  (entry: z.output<typeof searchFields>): boolean => {
    const { required }: SearchProvider = SEARCH_PROVIDERS[entry.provider]
    return entry[key] !== undefined || !required.includes(key)
  }

const search = searchFields
  .refine(searchHasRequired('url'), {
    path: ['url'],
    message: 'say where the SearXNG server is, such as "http://localhost:8888"',
  })
  .refine(searchHasRequired('api_key_env'), {
    path: ['api_key_env'],
    message: 'write the name of the environment variable that holds the key',
  })
  .refine(searchHasRequired('engine_id'), {
    path: ['engine_id'],
    message: "write the search engine's id, which Google calls cx",
  })

/** If this section is there, reading pages is on. */
const web = z.strictObject({
  fetch: z.boolean().default(true),
  ports: z.array(z.int().min(1).max(65_535)).min(1).default([80, 443]),
  search: search.optional(),
})

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

/** A room's name, and a directory that an admin gives it in place of its own. */
const workspaces = z.record(
  z.string().regex(ROOM_NAME, 'use the name of a room'),
  z
    .string()
    .refine(isAbsolute, 'write an absolute path')
    .refine((path) => resolve(path) !== '/', 'the whole machine is no workspace; write a directory')
    .refine(isDirectory, 'there is no such directory; make it first'),
)

/** docs/security.md explains these figures. Whoever reads one uses the name that it has here. */
const limitsSchema = z.strictObject({
  login_timeout_s: positive(20),
  code_timeout_s: positive(120),
  keys_offered: positive(12),
  unauthenticated_per_address: positive(8),
  unauthenticated: positive(200),
  address_burst: positive(40),
  address_per_s: positive(5),
  connections_per_address: positive(32),
  connections_per_person: positive(4),
  connections: positive(4096),
  idle_connection_s: positive(60),
  channels_per_connection: positive(10),
  exec_per_person: positive(8),
  exec_per_address: positive(64),
  http_body_bytes: positive(1_048_576),
  http_request_s: positive(20),
  http_idle_s: positive(60),
  mcp_idle_s: positive(1800),
  message_chars: positive(4000),
  paste_bytes: positive(65_536),
  message_lines: positive(400),
  rate_burst: positive(8),
  rate_per_s: positive(2),
  bytes_per_person_day: orOff(33_554_432),
  waiting_messages_per_person: positive(100),
  waiting_messages: positive(10_000),
  presence_per_min: positive(20),
  names_per_key: positive(8),
  keys_per_person: positive(16),
  bearer_tokens_per_person: positive(16),
  kept_names_per_person: positive(3),
  renames_per_day: positive(5),
  invites_per_person: positive(16),
  rooms_per_person: positive(32),
  members_per_room: positive(2000),
  approvals_per_room: positive(8),
  approvals_per_person: positive(4),
  queue_bytes: positive(262_144),
  queues_mb: positive(256),
  stall_s: positive(30),
  drain_s: orOff(0),
  turns_per_room: positive(2),
  turns_queued: orOff(8),
  turn_s: positive(600),
  turn_steps: positive(24),
  turn_depth: orOff(2),
  tools_tokens: orOff(6000).refine(
    (tokens) => tokens === 0 || tokens >= LEAST_TOOLS_TOKENS,
    `write at least ${LEAST_TOOLS_TOKENS}, since models look for tools by find_tools, which needs some of them; 0 sets no limit`,
  ),
  tokens_per_person_day: orOff(0),
  tokens_per_room_day: orOff(0),
})

/** Networks and addresses of proxies before the SSH port. */
const proxies = z.array(
  z
    .union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], 'write a network such as 10.0.0.0/8, or an address')
    .refine(
      (network) => !network.endsWith('/0'),
      'everybody could say to be anybody; name the network of the proxies',
    ),
)

/** Whom HTTP is for; where it is served is a flag. */
const http = z
  .strictObject({
    hosts: z
      .array(z.string().regex(/^[a-z0-9.-]{1,253}$/, 'write a name such as chat.example.org'))
      .default([]),
    origins: z
      .array(z.string().regex(/^https?:\/\/[^\s/]+$/, 'write an origin such as https://chat.example.org'))
      .default([]),
    proxies: z.array(z.union([z.ipv4(), z.ipv6()], 'write an IP address')).default([]),
  })
  .prefault({})

/** A PostgreSQL database in the place of the file in the data directory. */
const storage = z
  .strictObject({
    url: z.string().refine(isPostgresUrl, `write an address such as ${POSTGRES_EXAMPLE}`).optional(),
    url_env: variable.optional(),
  })
  .refine(({ url, url_env }) => url === undefined || url_env === undefined, 'give either url or url_env')
  .prefault({})

/** NATS in the place of PostgreSQL's own notifications. */
const bus = z
  .strictObject({
    url: z
      .string()
      .refine(
        (text) => natsAddress(text) !== undefined,
        `write an address such as ${NATS_EXAMPLE}, or several with commas between them`,
      )
      .optional(),
    url_env: variable.optional(),
    prefix: z
      .string()
      .max(64)
      .regex(/^[\w-]+(\.[\w-]+)*$/, 'write words of letters, digits, - and _, with dots between them')
      .default('sshawl'),
    credentials: z.string().min(1, 'write the path of a file').optional(),
  })
  .refine(({ url, url_env }) => (url === undefined) !== (url_env === undefined), 'give either url or url_env')
  .optional()

/** The whole file; every part may be left out. */
export const fileSchema = z.strictObject({
  server: z
    .strictObject({
      access: z.enum(['open', 'invite', 'closed']).optional(),
      invites: z.enum(['members', 'ops', 'admins']).default('members'),
      user_ca: z.array(publicKey).default([]),
      proxies: proxies.default([]),
      host_keys: z.array(z.string().min(1, 'write the path of a private key')).default([]),
      motd: z.string().max(4000).default(''),
      admins: z
        .array(
          z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'write a fingerprint as ssh-keygen -lf prints it'),
        )
        .default([]),
    })
    .prefault({}),
  models: z.array(modelSchema).default([]),
  mcp: z.array(mcpEntry).default([]),
  tools: z
    .strictObject({
      dirs: z.array(z.string()).default([]),
      modules: z.array(z.string().min(1, 'write the path of a JavaScript module')).default([]),
      disabled: z.array(z.string()).default([]),
      timeout_s: positive(60),
      web: web.optional(),
    })
    .prefault({}),
  sandbox: z
    .strictObject({
      mode: z.enum(['bubblewrap', 'none']).default('bubblewrap'),
      workspaces: workspaces.default({}),
      rooms_dir: z.string().refine(isAbsolute, 'write an absolute path').optional(),
      disk_mb: orOff(1024),
      memory_mb: z.int().min(64).max(10_000_000).default(512),
    })
    .prefault({}),
  lua: z.strictObject({ engine: z.enum(ENGINE_NAMES).default('wasmoon') }).prefault({}),
  memory: z.strictObject({ summarizer: z.string().min(1).optional() }).prefault({}),
  http,
  storage,
  bus,
  limits: limitsSchema.prefault({}),
})

export type FileConfig = z.output<typeof fileSchema>
