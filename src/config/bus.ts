import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type BusConfig, HAS_JWT, NATS_EXAMPLE, natsAddress, NKEY_SEED } from '../adapters/wire/config.ts'
import { errorCode, errorMessage } from '../lib/errors.ts'
import type { Environment } from './environment.ts'
import { ConfigError } from './problem.ts'
import type { FileConfig } from './schema.ts'

type WrittenBus = NonNullable<FileConfig['bus']>

/**
 * The bus from `[bus]`; undefined without it. Throws `ConfigError` where it names a variable that does not hold a URL, or a file
 * that holds no credentials. `file` is where it was read from.
 */
export function busFrom(
  bus: FileConfig['bus'],
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

function urlFrom(bus: WrittenBus, env: Environment): string {
  const { url, url_env: name } = bus
  if (url !== undefined) return url
  const value = (name === undefined ? undefined : env[name]?.trim()) ?? ''
  if (natsAddress(value)) return value
  const what = value === '' ? 'is not set' : 'holds no URL of NATS'
  throw problem(`url_env: ${name} ${what}; set it to an address such as ${NATS_EXAMPLE}`)
}

function credentialsAt(path: string): string {
  const text = readText(path)
  if (HAS_JWT.test(text) || NKEY_SEED.test(text)) return path
  throw problem(`credentials: ${path} holds no JWT and no seed of a user; name the file that nsc or nk wrote`)
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw problem(
      `credentials: ${path} cannot be read (${errorCode(error) ?? errorMessage(error)}); name a file`,
    )
  }
}

const problem = (sentence: string): ConfigError => new ConfigError([`bus.${sentence}`])
