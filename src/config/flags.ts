import { parseArgs } from 'node:util'
import { closest } from '../lib/suggest.ts'
import { ConfigError } from './problem.ts'

/** What the executable is asked to do. */
export type Verb = 'serve' | 'check' | 'backup' | 'help' | 'version'

/** A command line in its parts. The values of its flags are not checked yet. */
export interface CommandLine {
  readonly verb: Verb
  /** The file to write, for `backup`. */
  readonly target?: string
  readonly flags: { readonly [Name in FlagName]?: string }
}

const FLAGS = ['listen', 'data', 'config', 'http', 'log-level'] as const
export type FlagName = (typeof FLAGS)[number]

const VERBS = ['serve', 'check', 'backup', 'help', 'version'] as const

/** What `--help` prints. */
export const HELP = `usage: sshawl serve [--listen HOST:PORT] [--data DIR] [--config FILE] [--log-level LEVEL]
       sshawl check [--config FILE]    validate config, Lua, .tool files and migrations
       sshawl backup FILE [--data DIR] copy the database, also while the server runs
       sshawl --version | --help

environment: SSHAWL_LISTEN SSHAWL_DATA SSHAWL_CONFIG SSHAWL_LOG
`

/** Throws `ConfigError` with one sentence about the first thing that is wrong. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { values, positionals } = parsed(argv)
  if (values.help) return { verb: 'help', flags: {} }
  if (values.version) return { verb: 'version', flags: {} }
  const [word = 'serve', target, extra] = positionals
  const verb = VERBS.find((one) => one === word)
  if (!verb) throw new ConfigError([`unknown command ${word}${meant(word, VERBS)}; see sshawl --help`])
  if (verb === 'backup' && target === undefined) throw new ConfigError(['backup needs a FILE to write'])
  const unexpected = verb === 'backup' ? extra : target
  if (unexpected !== undefined) throw new ConfigError([`unexpected "${unexpected}"; see sshawl --help`])
  const { help: _, version: __, ...flags } = values
  return { verb, flags, ...(target === undefined ? {} : { target }) }
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
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    const flag = /'(-[^' ]*)/.exec((error as Error).message)?.[1] ?? ''
    const known = FLAGS.find((name) => `--${name}` === flag)
    if (known) throw new ConfigError([`${flag} needs a value; see sshawl --help`])
    throw new ConfigError([
      `unknown flag ${flag}${meant(
        flag,
        FLAGS.map((name) => `--${name}`),
      )}; see sshawl --help`,
    ])
  }
}

function meant(word: string, candidates: readonly string[]): string {
  const near = closest(word, candidates)
  return near ? `; did you mean ${near}?` : ''
}
