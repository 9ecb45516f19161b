import type { McpServerConfig } from './config.ts'
import { writtenForms } from './written-forms.ts'

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

/** Takes these out of a text in all their forms, the longest first. */
export const masked = (text: string, secrets: readonly string[]): string =>
  secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap(writtenForms)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '***'), text)

/** What a server was given in secret, and would be shown to all if it were in a result. */
export const secretsOf = (reach: Reach): readonly string[] =>
  'command' in reach ? secretsOfCommand(reach) : [...secretsOfHeaders(reach), ...keysInAddress(reach)]

/** Where a secret of a server comes from, for people. `form` is one of its forms. */
export function originOf(form: string, reach: Reach): string {
  const isOf = (value: string): boolean => writtenForms(value).includes(form)
  if ('url' in reach)
    return secretsOfHeaders(reach).some(isOf)
      ? 'a header'
      : keysInAddress(reach).some(isOf)
        ? 'its address'
        : 'its login'
  // A word of the command could have another secret in it, so that none is shown.
  return (
    Object.entries(reach.env).find(([name, value]) => isSecret(name, value) && isOf(value))?.[0] ??
    'an argument of its command'
  )
}

const secretsOfCommand = ({
  command,
  env,
  secretEnv = [],
}: Extract<Reach, { command: unknown }>): readonly string[] => [
  ...Object.entries(env).flatMap(([name, value]) =>
    secretEnv.includes(name) || isSecret(name, value) ? [value] : [],
  ),
  ...command.flatMap((word, at) => {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(word) ?? []
    if (isNamedSecret(name, value)) return [value]
    const before = command[at - 1] ?? ''
    return before.startsWith('-') && !before.includes('=') && isNamedSecret(before, word) ? [word] : []
  }),
]

const isSecret = (name: string, value: string): boolean =>
  isNamedSecret(name, value) || KEY.test(value) || HAS_PASSWORD.test(value)

/** What `SESSION_STORE` holds may be a plain word, which results and names of tools have, too; what `DB_PASSWORD` holds is secret. */
const isNamedSecret = (name: string, value: string): boolean =>
  NAMES_IT.test(name) ||
  ENDS_IT.test(wordsOf(name).at(-1) ?? '') ||
  wordsOf(name).some((word) => IS_IT.test(word)) ||
  (isSecretName(name) && !PLAIN_WORDS.test(value))

/** Of `DB_PASSWORD_PROD`, `apiKey1` and `--auth`. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z]+/)
    .filter(Boolean)

/** As a word of its own it says so wherever it stands. */
const IS_IT = /^(?:key|token|secret|pass(?:word|wd|phrase)?|pwd)s?$/i

/** At the end it is what the value is; before `METHOD` or `STORE`, the value says something about it. */
const ENDS_IT = /^(?:auth|session)$/i

/** A name that ends so says what its value is, also where it is no word of its own: `PGPASSWORD`. */
const NAMES_IT = /(?:key|token|secret|pass(?:word|wd|phrase)?|pwd|credential|cookie|dsn|signature)s?$/i

/** As people call things: `postgres`, `client_credentials`. */
const PLAIN_WORDS = /^(?=.{1,24}$)(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)(?:[ _.-](?:[a-z]+|[A-Z]+|[A-Z][a-z]+))*$/

/** Letters and digits, so long and so mixed that nobody made them up. */
const KEY = /^(?=(?:.*\d){4})(?=(?:.*[A-Za-z]){4})[\w.~-]{20,}$/

/** An address with somebody's name before its host. */
const HAS_PASSWORD = /:\/\/[^/\s@]+@/

type ByUrl = Extract<Reach, { url: string }>

/** Also without the word before it: `Bearer x` gives `x`. */
const secretsOfHeaders = ({ headers = {} }: ByUrl): readonly string[] =>
  Object.values(headers).flatMap((value) => [value, value.replace(/^\S+ /, '')])

/** All that follows the host: in an error, nobody misses it. */
function secretsOfAddress(reach: ByUrl): readonly string[] {
  const { pathname, search } = new URL(reach.url)
  return [
    ...secretsOfHeaders(reach),
    ...(pathname.length > 1 ? [pathname] : []),
    search,
    ...parametersOf(search).flatMap(({ written, value }) => [written, value]),
  ]
}

/** Only what looks like a key: a result may well have the other words of an address. */
function keysInAddress({ url }: ByUrl): readonly string[] {
  const { pathname, search } = new URL(url)
  return [
    ...pathname.split('/').filter((word) => KEY.test(word)),
    ...parametersOf(search).flatMap(({ name, written, value }) =>
      isSecret(name, value) ? [written, value] : [],
    ),
  ]
}

/** With their values also as they are written there, in `%` codes: a server may send its address back as it came. */
const parametersOf = (search: string) =>
  search
    .slice(1)
    .split('&')
    .flatMap((part) =>
      [...new URLSearchParams(part)].map(([name, value]) => ({
        name,
        value,
        written: part.slice(part.indexOf('=') + 1),
      })),
    )
