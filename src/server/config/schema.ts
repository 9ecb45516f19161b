import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { z } from 'zod'
import { ENGINE_NAMES } from '../../wrap/lua/index.ts'
import { ROOM_NAME } from '../../words/names.ts'
import { limitsSchema } from './limits.ts'
import { mcpEntry } from './mcp.ts'
import { modelSchema } from './models.ts'
import { routinesSchema } from './routines.ts'
import { busSchema, storageSchema } from './storage.ts'
import { orOff, positive } from './values.ts'
import { webSchema } from './web.ts'
import { notifySchema, webhookSchema } from './webhooks.ts'

/** A line of a `.pub` file. */
const PUBLIC_KEY = /^(ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa) +([A-Za-z0-9+/]+={0,2})(?: .*)?$/

/** Checks that the bytes begin with the length and name of the key's type (RFC 4253, 6.6). */
function isPublicKey(text: string): boolean {
  const [, type = '', base64 = ''] = PUBLIC_KEY.exec(text.trim()) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const named = Buffer.from(`\0\0\0${String.fromCharCode(type.length)}${type}`, 'latin1')
  return type !== '' && bytes.subarray(0, named.length).equals(named)
}

const server = z
  .strictObject({
    access: z
      .enum(['open', 'invite', 'closed'])
      .optional()
      .describe(
        'Who may register: `open`: any key; `invite`: with an invite code; `closed`: nobody. ' +
          'Absent: `open` on loopback, else `invite`.',
      ),
    invites: z
      .enum(['members', 'ops', 'admins'])
      .default('members')
      .describe('Who may make invite codes; `ops` are the ops of the lobby.'),
    user_ca: z
      .array(
        z.string().refine(isPublicKey, 'write a public key as ssh-keygen prints it: "ssh-ed25519 AAAA…"'),
      )
      .default([])
      .describe('Public keys of authorities whose certificates let people in.'),
    proxies: z
      .array(
        z
          .union(
            [z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()],
            'write a network such as 10.0.0.0/8, or an address',
          )
          .refine(
            (network) => !network.endsWith('/0'),
            'everybody could say to be anybody; name the network of the proxies',
          ),
      )
      .default([])
      .describe('Networks and addresses of proxies before the SSH port (PROXY protocol 2).'),
    host_keys: z
      .array(z.string().min(1, 'write the path of a private key'))
      .default([])
      .describe('Private keys of OpenSSH, at most one Ed25519 and one RSA; relative to the config file.'),
    motd: z.string().max(4000).default('').describe('Shown at login.'),
    admins: z
      .array(
        z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'write a fingerprint as ssh-keygen -lf prints it'),
      )
      .default([])
      .describe('Fingerprints (`SHA256:…`) of keys whose logins are admins.'),
  })
  .prefault({})
  .describe('Who may come in.')

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const workspaces = z.record(
  z.string().regex(ROOM_NAME, 'use the name of a room'),
  z
    .string()
    .refine(isAbsolute, 'write an absolute path')
    .refine((path) => resolve(path) !== '/', 'the whole machine is no workspace; write a directory')
    .refine(isDirectory, 'there is no such directory; make it first'),
)

const allower = z.enum(['requester', 'ops', 'nobody'])
const STRICT = 'Absent: `ops` if `access` is `open` and `--listen` is off loopback, else `requester`.'

const allow = z
  .strictObject({
    read: allower.default('requester').describe('With `requester` reading asks nobody.'),
    write: allower.default('requester').describe('Files and rooms.'),
    execute: allower.optional().describe(`Commands. ${STRICT}`),
    network: allower.optional().describe(`Pages and MCP servers. ${STRICT}`),
  })
  .prefault({})
  .describe(
    'Who may allow a call, by the access of its tool: `requester`: who asked, and ops; `ops`: ops of the ' +
      'room, its owner and admins; `nobody`: it is refused ([tools.md](tools.md#who-may-allow)).',
  )

const tools = z
  .strictObject({
    dirs: z
      .array(z.string())
      .default([])
      .describe('Directories with `.tool` files, before the bundled ones; relative to the config file.'),
    modules: z
      .array(z.string().min(1, 'write the path of a JavaScript module'))
      .default([])
      .describe('JavaScript modules with tools; relative to the config file.'),
    disabled: z
      .array(z.string())
      .default([])
      .describe('Ids of tools that nobody may have; what builds on them is off too.'),
    allow,
    timeout_s: positive(60, 'Seconds of a call of a tool.'),
    web: webSchema.optional(),
  })
  .prefault({})
  .describe('Tools that models and people call ([tools.md](tools.md)).')

const sandbox = z
  .strictObject({
    mode: z
      .enum(['bubblewrap', 'none'])
      .default('bubblewrap')
      .describe("`none`: commands run with the rights of the server's user."),
    workspaces: workspaces
      .default({})
      .describe('Rooms with a directory of their own: ROOM = an absolute path.'),
    rooms_dir: z
      .string()
      .refine(isAbsolute, 'write an absolute path')
      .optional()
      .describe("An absolute path for other rooms' files, which servers may share; absent: `DATA/rooms`."),
    disk_mb: orOff(1024, 'Megabytes of files of a room; 0: no limit.'),
    memory_mb: z.int().min(64).max(10_000_000).default(512).describe('Megabytes of memory of a command.'),
  })
  .prefault({})
  .describe(
    'Files of rooms, and commands ([tools.md](tools.md), [security.md](security.md#around-a-command)).',
  )

const http = z
  .strictObject({
    hosts: z
      .array(z.string().regex(/^[a-z0-9.-]{1,253}$/, 'write a name such as chat.example.org'))
      .default([])
      .describe('Names in the Host header, besides localhost and addresses in numbers.'),
    origins: z
      .array(z.string().regex(/^https?:\/\/[^\s/]+$/, 'write an origin such as https://chat.example.org'))
      .default([])
      .describe('Pages in browsers that may use a token here (CORS).'),
    proxies: z
      .array(z.union([z.ipv4(), z.ipv6()], 'write an IP address'))
      .default([])
      .describe('Proxies whose X-Forwarded-For is the address of a request.'),
  })
  .prefault({})
  .describe(
    'HTTP requests that are accepted; `--http` says where the server listens ([admin.md](admin.md#http)).',
  )

/**
 * The schema of sshawl.toml, strict so that a misspelt key is an error. `npm run docs` writes docs/config.md
 * from it.
 */
export const fileSchema = z.strictObject({
  server,
  models: z
    .array(modelSchema)
    .default([])
    .describe('A model that people mention as `@NAME` ([models.md](models.md)).'),
  mcp: z.array(mcpEntry).default([]).describe('An MCP server whose tools rooms have ([mcp.md](mcp.md)).'),
  tools,
  sandbox,
  lua: z
    .strictObject({
      engine: z
        .enum(ENGINE_NAMES)
        .default('wasmoon')
        .describe('The program that runs prompt scripts ([engines](wrap.md#engines)).'),
    })
    .prefault({})
    .describe('Scripts of rooms ([wrap.md](wrap.md)).'),
  memory: z
    .strictObject({
      summarizer: z
        .string()
        .min(1)
        .optional()
        .describe(
          'The model that sums up what no longer fits a prompt, unless a room names another; absent: none.',
        ),
    })
    .prefault({})
    .describe("Summaries of rooms' history."),
  routines: routinesSchema,
  http,
  webhooks: z
    .array(webhookSchema)
    .default([])
    .describe(
      "An address that rooms' scripts may send to ([wrap.md](wrap.md#hooks-what-a-script-does-when-something-happens)).",
    ),
  notify: notifySchema,
  storage: storageSchema,
  bus: busSchema,
  limits: limitsSchema
    .prefault({})
    .describe('Bounds of what people, models and clients use ([security.md](security.md#limits)).'),
})

export type FileConfig = z.output<typeof fileSchema>
