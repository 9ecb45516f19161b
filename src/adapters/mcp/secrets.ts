import type { McpServerConfig } from './config.ts'

type Reach = McpServerConfig['reach']

/** Whether a variable, a header, a flag or a parameter with this name holds what nobody else may know. */
export const isSecretName = (name: string): boolean =>
  /key|token|secret|pass|pwd|auth|credential|cookie|session|dsn|signature/i.test(name)

/** Where a server is, without what could be a secret: an address may have one in its path, a command in its arguments. */
export function shownReach(reach: Reach): string {
  if ('command' in reach) {
    const [program = '', ...rest] = reach.command
    return rest.length === 0 ? program : `${program} …`
  }
  const { origin, pathname, search } = new URL(reach.url)
  return pathname === '/' && search === '' ? origin : `${origin}/…`
}

/** Shorter texts are too often part of a word that is no secret. */
const SHORTEST = 4

/** Takes out of a text what a server was given in secret: whatever it writes may be shown and logged. */
export const withoutSecrets = (text: string, reach: Reach): string =>
  masked(text, 'command' in reach ? secretsOfCommand(reach) : secretsOfAddress(reach))

/** Takes these out of a text, the longest first. */
export const masked = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)

const secretsOfCommand = ({ command, env }: Extract<Reach, { command: unknown }>): readonly string[] => [
  ...Object.entries(env).flatMap(([name, value]) => (isSecretName(name) ? [value] : [])),
  ...command.flatMap((word, at) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(word) ?? []
    if (isSecretName(name)) return [value]
    const before = command[at - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && isSecretName(before) ? [word] : []
  }),
]

function secretsOfAddress({ url, headers }: Extract<Reach, { url: string }>): readonly string[] {
  const { pathname, search, searchParams } = new URL(url)
  return [
    ...Object.values(headers ?? {}).flatMap((value) => [value, value.replace(/^\S+ /, '')]),
    ...(pathname.length > 1 ? [pathname] : []),
    search,
    ...searchParams.values(),
  ]
}
