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
      .describe('Public keys of certificate authorities; a certificate of one of them lets a person log in.'),
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
      .describe('Networks and addresses of proxies in front of the SSH port, which send PROXY protocol 2.'),
    host_keys: z
      .array(z.string().min(1, 'write the path of a private key'))
      .default([])
      .describe(
        'Paths of private host keys in OpenSSH format, at most one Ed25519 and one RSA; relative to the config file.',
      ),
    motd: z.string().max(4000).default('').describe('The message that people see when they log in.'),
    admins: z
      .array(
        z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'write a fingerprint as ssh-keygen -lf prints it'),
      )
      .default([])
      .describe('Fingerprints (`SHA256:…`) of keys; people who log in with one of them are admins.'),
  })
  .prefault({})
  .describe('Who may log in, and how.')

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
    read: allower
      .default('requester')
      .describe('Who may allow tools that only read; with `requester` they run without asking.'),
    write: allower.default('requester').describe('Who may allow tools that change files or rooms.'),
    execute: allower.optional().describe(`Who may allow tools that run commands. ${STRICT}`),
    network: allower
      .optional()
      .describe(`Who may allow tools that use the network, such as web pages and MCP servers. ${STRICT}`),
  })
  .prefault({})
  .describe(
    'Who may allow a call, by the access of its tool: `requester`: the person who asked, and ops; `ops`: ops of ' +
      'the room, its owner and admins; `nobody`: the call is refused ([tools.md](tools.md#who-may-allow)).',
  )

const tools = z
  .strictObject({
    dirs: z
      .array(z.string())
      .default([])
      .describe(
        'Directories with `.tool` files, which take precedence over bundled tools; relative to the config file.',
      ),
    modules: z
      .array(z.string().min(1, 'write the path of a JavaScript module'))
      .default([])
      .describe('JavaScript modules with tools; relative to the config file.'),
    disabled: z
      .array(z.string())
      .default([])
      .describe('Ids of tools that are turned off for everybody; tools that build on them are off, too.'),
    allow,
    timeout_s: positive(60, 'The most seconds that a tool call may take.'),
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
      .describe('Rooms whose files are in a directory that you choose: ROOM = an absolute path.'),
    rooms_dir: z
      .string()
      .refine(isAbsolute, 'write an absolute path')
      .optional()
      .describe(
        'The directory with the files of all other rooms, as an absolute path; several servers may share it; absent: `DATA/rooms`.',
      ),
    disk_mb: orOff(1024, 'The most megabytes of files in a room; 0: no limit.'),
    memory_mb: z
      .int()
      .min(64)
      .max(10_000_000)
      .default(512)
      .describe('The most megabytes of memory that a command may use.'),
  })
  .prefault({})
  .describe(
    'The files of rooms, and the sandbox for commands ([tools.md](tools.md), [security.md](security.md#around-a-command)).',
  )

const http = z
  .strictObject({
    hosts: z
      .array(z.string().regex(/^[a-z0-9.-]{1,253}$/, 'write a name such as chat.example.org'))
      .default([])
      .describe('Names that the Host header may have, besides localhost and IP addresses.'),
    origins: z
      .array(z.string().regex(/^https?:\/\/[^\s/]+$/, 'write an origin such as https://chat.example.org'))
      .default([])
      .describe('Origins of web pages that may send requests with a token (CORS).'),
    proxies: z
      .array(z.union([z.ipv4(), z.ipv6()], 'write an IP address'))
      .default([])
      .describe('Addresses of proxies; their X-Forwarded-For header gives the address of the client.'),
  })
  .prefault({})
  .describe(
    'Which HTTP requests the server accepts; `--http` sets where it listens ([admin.md](admin.md#http)).',
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
        .describe('The Lua interpreter that runs the scripts of rooms ([engines](wrap.md#engines)).'),
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
          'The model that summarizes conversation that no longer fits a prompt; a room may choose another; absent: none.',
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
    .describe(
      'Limits for people, models and clients; most are the highest number allowed ([security.md](security.md#limits)).',
    ),
})

export type FileConfig = z.output<typeof fileSchema>
