import { parseArgs } from 'node:util'
import { errorMessage } from '../../base/errors.ts'
import { didYouMean } from '../../base/suggest.ts'
import { ConfigError } from './environment.ts'

/** Flag values are unchecked. */
export type CommandLine = {
  readonly flags: { readonly [Name in FlagName]?: string }
  /** Nothing runs by itself. */
  readonly noRoutines?: true
} & (
  | { readonly verb: Exclude<(typeof VERBS)[number], FileVerb | 'audit' | 'copy' | 'mcp'> }
  | { readonly verb: 'audit'; readonly json: boolean }
  /** `target` is the file to write, or to restore. */
  | { readonly verb: FileVerb; readonly target: string }
  /** Paths of files or PostgreSQL URLs. */
  | { readonly verb: 'copy'; readonly from: string; readonly to: string }
  /** `add` adds the servers in the file `target` to the config. */
  | { readonly verb: 'mcp import'; readonly target: string; readonly add: boolean }
)

const FLAGS = ['listen', 'data', 'config', 'http', 'log-level'] as const
export type FlagName = (typeof FLAGS)[number]

const VERBS = [
  'serve',
  'check',
  'audit',
  'reload',
  'backup',
  'restore',
  'copy',
  'mcp',
  'help',
  'version',
] as const
type FileVerb = 'backup' | 'restore'

export const HELP = `\
sshawl is a chat server over SSH in which people, language models and tools
share rooms.

Commands (* also while the server runs):
  sshawl serve                    run the server; the default command
  sshawl check                    validate config, Lua, .tool files, migrations
                                  and the database *
  sshawl audit [--json]           list who may do what, and in which room *
  sshawl reload                   have the running server read its config and
                                  .tool files again
  sshawl backup FILE              copy the database to FILE *
  sshawl restore FILE             restore a backup; the old database is kept
  sshawl copy --from A --to B     move all data from a FILE to a PostgreSQL URL,
                                  or from a URL to a FILE
  sshawl mcp import FILE [--add]  print the MCP servers of an agent's config as
                                  [[mcp]] tables, or add them to the config
  sshawl --version, -v            print the version
  sshawl --help, -h               print this page

Options of serve, with the environment variable that each overrides:
  --listen HOST:PORT  SSHAWL_LISTEN  address for SSH; default 127.0.0.1:2222
  --data DIR          SSHAWL_DATA    default: sshawl in $XDG_DATA_HOME, else in
                                     ~/.local/share
  --config FILE       SSHAWL_CONFIG  default: sshawl/sshawl.toml in
                                     $XDG_CONFIG_HOME, else in ~/.config
  --http HOST:PORT    SSHAWL_HTTP    address for HTTP; default: no HTTP
  --log-level LEVEL   SSHAWL_LOG     trace, debug, info, warn, error, fatal or
                                     silent; default info
  --no-routines                      nothing runs by itself

check, audit, backup and restore also take --data and --config, reload takes
--data, and mcp import takes --config.

Docs are in docs/ of the package; docs/admin.md explains these commands.
`

/** Throws `ConfigError` for the first error. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parsed(argv)
  if (values.help) return { verb: 'help', flags: {} }
  if (values.version) return { verb: 'version', flags: {} }
  const [word = 'serve', target] = positionals
  const verb = VERBS.find((one) => one === word)
  if (!verb) throw new ConfigError([`unknown command ${word}${didYouMean(word, VERBS)}; see sshawl --help`])
  const { help: _, version: __, json, add, from, to, 'no-routines': noRoutines, ...flags } = values
  const own = Object.entries({ json, add, from, to, 'no-routines': noRoutines }).flatMap(([flag, value]) =>
    value ? [flag] : [],
  )
  const extra = own.find((flag) => !OWN_FLAGS[verb]?.includes(flag))
  refuse(extra === undefined ? positionals[OPERANDS[verb] ?? 1] : `--${extra}`)
  switch (verb) {
    case 'mcp':
      return { ...mcpImport(positionals, add === true), flags }
    case 'copy':
      if (from !== undefined && to !== undefined) return { verb, from, to, flags }
      throw new ConfigError(['copy needs --from FILE and --to URL, or the other way round'])
    case 'audit':
      return { verb, json: json === true, flags }
    case 'backup':
    case 'restore':
      if (target !== undefined) return { verb, target, flags }
      throw new ConfigError([
        verb === 'backup' ? 'backup needs a FILE to write' : 'restore needs the FILE of a backup',
      ])
    default:
      return { verb, flags, ...(noRoutines ? { noRoutines } : {}) }
  }
}

type Verb = (typeof VERBS)[number]

const OWN_FLAGS: { readonly [Name in Verb]?: readonly string[] } = {
  serve: ['no-routines'],
  mcp: ['add'],
  copy: ['from', 'to'],
  audit: ['json'],
}

/** The number of words of a command, including its name. */
const OPERANDS: { readonly [Name in Verb]?: number } = { mcp: 3, backup: 2, restore: 2 }

function mcpImport([, action, target]: readonly string[], add: boolean) {
  if (action !== 'import') throw new ConfigError(['write: sshawl mcp import FILE; see sshawl --help'])
  if (target === undefined)
    throw new ConfigError(['mcp import needs the FILE of an agent, such as .mcp.json'])
  return { verb: 'mcp import', target, add } as const
}

function refuse(unexpected: string | undefined): void {
  if (unexpected !== undefined) throw new ConfigError([`unexpected "${unexpected}"; see sshawl --help`])
}

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        listen: { type: 'string' },
        data: { type: 'string' },
        config: { type: 'string' },
        http: { type: 'string' },
        'log-level': { type: 'string' },
        json: { type: 'boolean' },
        add: { type: 'boolean' },
        from: { type: 'string' },
        to: { type: 'string' },
        'no-routines': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    const flag = /'(-[^' ]*)/.exec(errorMessage(error))?.[1] ?? ''
    const known = [...FLAGS, 'from', 'to'].find((name) => `--${name}` === flag)
    if (known) throw new ConfigError([`${flag} needs a value; see sshawl --help`])
    throw new ConfigError([
      `unknown flag ${flag}${didYouMean(
        flag,
        FLAGS.map((name) => `--${name}`),
      )}; see sshawl --help`,
    ])
  }
}
