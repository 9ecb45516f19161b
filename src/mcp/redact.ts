import type { McpServerConfig } from './config.ts'

type Target = McpServerConfig['reach']

/** True if the value of a variable, header, flag or parameter with this name is a secret. */
export const isSecretName = (name: string): boolean =>
  /key|token|secret|pass|pwd|auth|credential|cookie|session|dsn|signature/i.test(name)

/** Returns only the host or the program: the rest of an address or a command may contain a key. */
export function displayTarget(target: Target): string {
  if ('command' in target) {
    const [program = '', ...rest] = target.command
    return rest.length === 0 ? program : `${program} …`
  }
  const { origin, pathname, search } = new URL(target.url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}

/** Shorter texts are not redacted, because they are often part of ordinary words. */
const SHORTEST = 4

export const redact = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)

export const secretValues = (target: Target): readonly string[] =>
  'command' in target ? secretsOfCommand(target) : secretsOfAddress(target)

/** False for a short password, which a result may contain by chance. */
export const isDistinctive = (secret: string): boolean =>
  secret.length >= 20 || (secret.length >= 8 && /\d/.test(secret))

const isSecret = (name: string, value: string): boolean =>
  isSecretName(name) || KEY.test(value) || HAS_PASSWORD.test(value)

/** A long mix of letters and digits. */
const KEY = /^(?=(?:.*\d){4})(?=(?:.*[A-Za-z]){4})[\w.~-]{20,}$/

/** Matches an address with a user name before its host. */
const HAS_PASSWORD = /:\/\/[^/\s@]+@/

const secretsOfCommand = ({
  command,
  env,
  secretEnv = [],
}: Extract<Target, { command: unknown }>): readonly string[] => [
  ...Object.entries(env).flatMap(([name, value]) =>
    secretEnv.includes(name) || isSecret(name, value) ? [value] : [],
  ),
  ...command.flatMap((word, at) => {
    const [, name = '', value = word] = /^([^=]*)=(.*)$/s.exec(word) ?? []
    const before = command[at - 1] ?? ''
    const isValue = before.startsWith('-') && !before.includes('=') && isSecretName(before)
    return isValue ? [word] : isSecret(name, value) ? [value] : []
  }),
]

/** Returns everything after an address's host: an error needs none of it. */
export function addressParts(target: Target): readonly string[] {
  if ('command' in target) return []
  const { pathname, search, searchParams } = new URL(target.url)
  return [pathname, search, ...searchParams.values(), ...search.split('&').map(valueOfParameter)]
}

const valueOfParameter = (parameter: string): string => parameter.slice(parameter.indexOf('=') + 1)

/** Returns each header's value also without its first word: `Bearer x` gives `x`. */
function secretsOfAddress({ url, headers = {} }: Extract<Target, { url: string }>): readonly string[] {
  const { pathname, search, searchParams } = new URL(url)
  return [
    ...Object.values(headers).flatMap((value) => [value, value.replace(/^\S+ /, '')]),
    ...[...searchParams].flatMap(([name, value]) => (isSecret(name, value) ? [value] : [])),
    ...search
      .slice(1)
      .split('&')
      .flatMap((part) =>
        isSecret(part.slice(0, part.indexOf('=')), valueOfParameter(part)) ? [valueOfParameter(part)] : [],
      ),
    ...pathname.split('/').filter((word) => KEY.test(word)),
  ]
}
