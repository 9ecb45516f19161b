import { isSecretName } from '../../../adapters/mcp/secrets.ts'
import { holdsSecret } from '../../../chat/typing/secrets.ts'
import type { ClientServer } from './client-config-file.ts'

/** A server as `[[mcp]]` has it, with what somebody has to know or do about it, a sentence each. */
export interface ImportedServer {
  readonly entry: McpTable
  readonly notes: readonly string[]
}

/** The keys of one `[[mcp]]`, in the order in which they are written; empty ones are left out. */
export interface McpTable {
  readonly name: string
  readonly command?: readonly string[]
  readonly url?: string
  readonly env?: Readonly<Record<string, string>>
  readonly pass_env?: readonly string[]
  readonly token_env?: string
  readonly header_env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/**
 * The name that a server has with us: MCP clients take any. It may still be none that a server can have.
 */
export const importedName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 32)

/**
 * What a server of an MCP client is as `[[mcp]]`. Secrets stay where they are: the config names the environment variables that
 * shall hold them, and a note says which to set. `file` is for the notes.
 */
export function entryFrom(name: string, server: ClientServer, file: string): ImportedServer {
  const { command, args, cwd, url } = server
  if (url !== undefined) return byUrl(name, url, server, file)
  const words = [...(typeof command === 'string' ? [command] : (command ?? [])), ...args]
  const { plain, passed, notes } = variablesOf(name, server, file)
  return {
    entry: {
      name,
      command: words,
      ...(Object.keys(plain).length > 0 ? { env: plain } : {}),
      ...(passed.length > 0 ? { pass_env: passed } : {}),
      ...(cwd === undefined ? {} : { cwd }),
    },
    notes: [...notes, ...aboutWords(name, words, cwd), ...aboutFile(name, server)],
  }
}

/** `${NAME}`, `${NAME:-other}`, `${env:NAME}`, `$NAME`: the client would have put a variable there. */
const VARIABLE = /^\$(?:\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}|([A-Za-z_]\w*))$/

/** Something else that a client would have filled in. */
const PLACEHOLDER = /\$\{[^}]*\}/

function variablesOf(name: string, { env }: ClientServer, file: string) {
  const plain: Record<string, string> = {}
  const passed: string[] = []
  const notes: string[] = []
  for (const [variable, value] of Object.entries(env)) {
    const from = variableIn(value)
    if (from === undefined && !PLACEHOLDER.test(value) && !isSecret(variable, value)) {
      plain[variable] = value
      continue
    }
    passed.push(variable)
    if (from !== variable) notes.push(`${name}: ${toSet(variable, from, value, file)}`)
  }
  return { plain, passed, notes }
}

function byUrl(name: string, url: string, { headers }: ClientServer, file: string): ImportedServer {
  const header_env: Record<string, string> = {}
  const notes: string[] = []
  let token_env: string | undefined
  for (const [header, value] of Object.entries(headers)) {
    const token = /^authorization$/i.test(header) ? /^bearer\s+(\S+)$/i.exec(value)?.[1] : undefined
    const held = token ?? value
    const from = variableIn(held)
    const variable = from ?? variableFor(name, token === undefined ? header : 'TOKEN')
    if (token === undefined) header_env[header] = variable
    else token_env = variable
    if (from === undefined) notes.push(`${name}: ${toSet(variable, from, held, file)}`)
  }
  if (isSecretAddress(url)) notes.push(`${name}: its address holds a key, so keep the config to yourself`)
  return {
    entry: {
      name,
      url,
      ...(token_env === undefined ? {} : { token_env }),
      ...(Object.keys(header_env).length > 0 ? { header_env } : {}),
    },
    notes,
  }
}

const variableIn = (value: string): string | undefined => {
  const [, braced, bare] = VARIABLE.exec(value) ?? []
  return braced ?? bare
}

const isSecret = (variable: string, value: string): boolean =>
  value !== '' && (isSecretName(variable) || holdsSecret(value) || /:\/\/[^/\s@]+@/.test(value))

/** `github` and `X-Api-Key` give GITHUB_X_API_KEY. */
const variableFor = (name: string, what: string): string =>
  `${name}_${what}`
    .toUpperCase()
    .replace(/\W+|-/g, '_')
    .replace(/^(?=\d)/, '_')

/** Where the value of a variable is to be found. It is not repeated. */
function toSet(variable: string, from: string | undefined, value: string, file: string): string {
  const where =
    from === undefined
      ? PLACEHOLDER.test(value)
        ? `what the agent asks for as ${PLACEHOLDER.exec(value)?.[0]}`
        : `its value stands in ${file}`
      : `the agent takes it from ${from}`
  return `set ${variable} in the environment of sshawl serve: ${where}`
}

function aboutWords(name: string, words: readonly string[], cwd = ''): readonly string[] {
  const placeholder = PLACEHOLDER.exec([...words, cwd].join(' '))?.[0]
  const hasKey =
    words.some((word) => /^--?[^=\s]*$/.test(word) && isSecretName(word)) || words.some(holdsSecret)
  return [
    ...(placeholder === undefined
      ? []
      : [`${name}: write a value in place of ${placeholder}, which only the agent knows`]),
    ...(hasKey ? [`${name}: its command may hold a key, so keep the config to yourself`] : []),
  ]
}

const aboutFile = (name: string, { envFile }: ClientServer): readonly string[] =>
  envFile === undefined ? [] : [`${name}: ${envFile} is not read; name what it needs of it in pass_env`]

function isSecretAddress(url: string): boolean {
  const { search } = URL.canParse(url) ? new URL(url) : { search: '' }
  return search !== '' && [...new URLSearchParams(search).keys()].some(isSecretName)
}
