import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import { type BusConfig, HAS_JWT, NATS_EXAMPLE, natsAddress, NKEY_SEED } from '../../cluster/wire/index.ts'
import { errorCode, errorMessage } from '../../base/errors.ts'
import { ConfigError, type Environment } from './environment.ts'
import { variable } from './values.ts'

const POSTGRES_EXAMPLE = 'postgres://sshawl@db.example.org/sshawl'

export const storageSchema = z
  .strictObject({
    url: z
      .string()
      .refine(isPostgresUrl, `write an address such as ${POSTGRES_EXAMPLE}`)
      .optional()
      .describe(
        `The URL of the database, such as \`"${POSTGRES_EXAMPLE}"\`; absent: a file in the data directory.`,
      ),
    url_env: variable(
      'The environment variable with the URL; use it if the URL holds a password.',
    ).optional(),
  })
  .refine(({ url, url_env }) => url === undefined || url_env === undefined, 'give either url or url_env')
  .prefault({})
  .describe('A PostgreSQL database for the data of rooms and people, which several servers may share.')

export const busSchema = z
  .strictObject({
    url: z
      .string()
      .refine(
        (text) => natsAddress(text) !== undefined,
        `write an address such as ${NATS_EXAMPLE}, or several with commas between them`,
      )
      .optional()
      .describe(`The addresses of the NATS servers (\`nats://\` or \`tls://\`), with commas between them.`),
    url_env: variable(
      'The environment variable with the URL; use it if the URL holds a password.',
    ).optional(),
    prefix: z
      .string()
      .max(64)
      .regex(/^[\w-]+(\.[\w-]+)*$/, 'write words of letters, digits, - and _, with dots between them')
      .default('sshawl')
      .describe('The prefix of all subjects, so that several clusters can share one NATS.'),
    credentials: z
      .string()
      .min(1, 'write the path of a file')
      .optional()
      .describe('A credentials file of a NATS user, made by `nsc` or `nk`; relative to the config file.'),
  })
  .refine(({ url, url_env }) => (url === undefined) !== (url_env === undefined), 'give either url or url_env')
  .optional()
  .describe(
    "NATS connects servers that share a database. Without this section, they use PostgreSQL's notifications.",
  )

type BusEntry = NonNullable<z.output<typeof busSchema>>

/** Without `url`, a file in the data directory. The URL may contain a password, so it is never shown. */
export interface StorageConfig {
  readonly url?: string
}

/** Throws `ConfigError` if `url_env` names a variable without a URL. */
export function storageFrom(storage: z.output<typeof storageSchema>, env: Environment): StorageConfig {
  const { url, url_env: name } = storage
  if (url !== undefined) return { url }
  if (name === undefined) return {}
  const value = env[name]?.trim() ?? ''
  if (isPostgresUrl(value)) return { url: value }
  const reason = value === '' ? 'is not set' : 'holds no URL of PostgreSQL'
  throw new ConfigError([
    `storage.url_env: ${name} ${reason}; set it to an address such as ${POSTGRES_EXAMPLE}`,
  ])
}

/** Throws `ConfigError`. `file` is the config's path. */
export function busFrom(
  bus: BusEntry | undefined,
  file: string | undefined,
  env: Environment,
): BusConfig | undefined {
  if (!bus) return undefined
  const { prefix, credentials } = bus
  const url = urlFrom(bus, env)
  if (credentials === undefined) return { url, prefix }
  if (natsAddress(url)?.login)
    throw problem('credentials: the address has a user, too; leave one of them out')
  return { url, prefix, credentials: credentialsAt(resolve(dirname(file ?? ''), credentials)) }
}

function urlFrom(bus: BusEntry, env: Environment): string {
  const { url, url_env: name } = bus
  if (url !== undefined) return url
  const value = (name === undefined ? undefined : env[name]?.trim()) ?? ''
  if (natsAddress(value)) return value
  const reason = value === '' ? 'is not set' : 'holds no URL of NATS'
  throw problem(`url_env: ${name} ${reason}; set it to an address such as ${NATS_EXAMPLE}`)
}

function credentialsAt(path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (HAS_JWT.test(text) || NKEY_SEED.test(text)) return path
  } catch (error) {
    throw problem(
      `credentials: ${path} cannot be read (${errorCode(error) ?? errorMessage(error)}); name a file`,
    )
  }
  throw problem(`credentials: ${path} holds no JWT and no seed of a user; name the file that nsc or nk wrote`)
}

const problem = (sentence: string): ConfigError => new ConfigError([`bus.${sentence}`])

function isPostgresUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/\S+$/.test(text) && URL.canParse(text) && new URL(text).pathname.length > 1
}
