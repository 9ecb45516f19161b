import { Refusal } from '../../chat/errors.ts'
import type { People } from '../../chat/people/people.ts'
import { counted } from '../../lib/plural.ts'
import { safeJson } from '../../lib/safe-json.ts'
import {
  loginJson,
  loginLines,
  mcpJson,
  mcpLine,
  type ChangedTool,
  type ListedMcp,
  type McpAdmin,
} from './shared/mcp-servers.ts'
import { type Command, type CommandContext, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

const ARGUMENTS = [
  {
    name: 'action',
    about: 'what to do',
    oneOf: ['list', 'connect', 'disconnect', 'refresh', 'approve', 'login', 'logout', 'serve'],
  },
  { name: 'name', about: 'of a server, for all but list and serve; its tools are NAME_tool', optional: true },
  {
    name: 'target',
    about:
      'for connect, an address, or a program with its arguments; for login, the address to which the browser went',
    optional: true,
    takes: 'rest',
  },
] as const

const FLAGS = [
  { name: 'show', about: 'for approve: what is other than before, and nothing is approved' },
  {
    name: 'token-env',
    about: 'for connect to an address: the variable of the server’s environment that holds the token',
    value: 'VAR',
  },
  {
    name: 'pass-env',
    about: 'for connect to a program: a variable of the server’s environment that it gets',
    value: 'VAR',
    repeats: true,
  },
  {
    name: 'trust',
    about: 'for connect: `annotations` believes a tool that says that it only reads; `ask` when absent',
    value: 'HOW',
  },
  JSON_FLAG,
] as const

type Context = CommandContext<'none', typeof ARGUMENTS, typeof FLAGS>
type Action = (servers: McpAdmin, context: Context) => Promise<void> | void

/** The flags of one action alone. */
const ONLY_FOR = [
  ['show', 'approve'],
  ['token-env', 'connect'],
  ['pass-env', 'connect'],
  ['trust', 'connect'],
] as const

const WITHOUT_NAME: readonly string[] = ['list', 'serve']

export function mcpCommand(servers: McpAdmin, people: Pick<People, 'current'>): Command {
  return defineCommand({
    name: 'mcp',
    summary:
      'servers of tools: list, connect NAME URL-or-COMMAND, disconnect NAME, refresh NAME, approve NAME, login NAME, logout NAME; serve: an agent joins by MCP',
    room: 'none',
    arguments: ARGUMENTS,
    flags: FLAGS,
    example: 'list',
    rights: {
      note: 'Everybody may `serve`, as themselves. The rest is for admins, because it runs commands with the rights of the server.',
    },
    complete: ({ given: [action = ''], argument, person }) =>
      argument === 'name' && person.admin && action !== 'connect' && !WITHOUT_NAME.includes(action)
        ? servers.list().map(({ name }) => name)
        : [],
    async run(context) {
      const { action } = context.args
      if (action !== 'serve' && !(await people.current(context.person)).admin)
        throw new Refusal('only admins can manage MCP servers')
      assertFits(context)
      await ACTIONS[action](servers, context)
    },
  })
}

function assertFits({ args: { action, name, target }, flags }: Context): void {
  for (const [flag, only] of ONLY_FOR)
    if (action !== only && isGiven(flags[flag])) throw new Misuse(`--${flag} is for ${only}`)
  const hasTarget = action === 'connect' || action === 'login'
  if (WITHOUT_NAME.includes(action) ? name !== undefined : !hasTarget && target !== undefined)
    throw new Misuse(`${action} takes nothing more`)
}

const isGiven = (value: boolean | string | readonly string[] | undefined): boolean =>
  typeof value === 'object' ? value.length > 0 : value !== undefined && value !== false

/** The name that was given. Throws `Misuse`. */
function nameIn({ args }: Context): string {
  if (args.name === undefined) throw new Misuse(`${args.action} takes the name of a server`)
  return args.name
}

/** A session goes on meanwhile; a script waits. */
async function finish({ session }: Context, work: Promise<void>): Promise<void> {
  if (session) session.inBackground(work)
  else await work
}

const ACTIONS: Readonly<Record<Context['args']['action'], Action>> = {
  list(servers, { flags, out }) {
    const all = servers.list()
    if (flags.json) return out.line(safeJson(all.map(mcpJson)))
    out.line(
      all.length === 0
        ? 'there is no MCP server: name one in [[mcp]] of the config, or /mcp connect NAME URL-or-COMMAND'
        : all.map(mcpLine).join('\n'),
    )
  },

  async connect(servers, context) {
    const { args, flags, out, person, session } = context
    const name = nameIn(context)
    if (args.target === undefined)
      throw new Misuse('connect takes an address, or a program with its arguments')
    const order = {
      ...{ name, target: args.target, trust: flags.trust },
      ...{ tokenEnv: flags['token-env'], passEnv: flags['pass-env'] },
    }
    const connected = servers.connect(order, person).then(({ server, login }) => {
      if (flags.json) return out.line(safeJson({ ...mcpJson(server), ...(login && loginJson(name, login)) }))
      out.line(mcpLine(server))
      if (login) out.line(loginLines(name, login, session !== undefined))
    })
    if (session) out.line(`connecting to ${name}…`)
    await finish(context, connected)
  },

  async disconnect(servers, context) {
    const name = nameIn(context)
    await servers.disconnect(name, context.person)
    context.out.line(
      context.flags.json
        ? safeJson({ name, state: 'gone' })
        : `${name} is disconnected, and its tools are gone`,
    )
  },

  async refresh(servers, context) {
    await finish(
      context,
      servers.refresh(nameIn(context)).then((server) => printServer(server, context)),
    )
  },

  async approve(servers, context) {
    const { flags, out, person } = context
    const name = nameIn(context)
    const changed = await servers.review(name, !flags.show, person)
    if (flags.json) {
      const tools = changed.map(({ id, isKnown, lines }) => ({ id, known: isKnown, difference: lines }))
      return out.line(safeJson({ name, approved: !flags.show, tools }))
    }
    if (changed.length === 0) return out.line(`no tool of ${name} is withheld; nothing was approved`)
    for (const tool of changed) await printChange(tool, out)
    const tools = `${counted(changed.length, 'tool')} of ${name}`
    out.line(
      flags.show
        ? `${tools} withheld; /mcp approve ${name} approves what it is then, and shows it`
        : `${tools} approved`,
    )
  },

  async login(servers, context) {
    const { args, flags, out, person, session } = context
    const name = nameIn(context)
    if (args.target !== undefined)
      return finish(
        context,
        servers.finishLogin(name, args.target, person).then((server) => printServer(server, context)),
      )
    const begun = servers
      .login(name, person)
      .then((login) =>
        out.line(
          flags.json ? safeJson(loginJson(name, login)) : loginLines(name, login, session !== undefined),
        ),
      )
    await finish(context, begun)
  },

  async logout(servers, context) {
    const name = nameIn(context)
    const { was, why } = await servers.logout(name, context.person)
    if (context.flags.json)
      return context.out.line(
        safeJson({ name, was, revoked: was === 'held' && why === undefined, why: why ?? null }),
      )
    context.out.line(
      was === 'begun'
        ? `nobody was logged in at ${name}; the login that was begun there is ended`
        : `the login at ${name} is forgotten${why === undefined ? ', and its tokens hold no more' : `; ${why}`}`,
    )
  },

  /** An agent's config names it as its server: `ssh host mcp serve`. */
  async serve(_servers, { script }) {
    if (!script?.serveMcp) throw new Refusal('an agent runs it, and not a session: ssh HOST mcp serve')
    await script.serveMcp()
  },
}

const printServer = (server: ListedMcp, { flags, out }: Context): void =>
  out.line(flags.json ? safeJson(mcpJson(server)) : mcpLine(server))

/** Lines of one tool's difference. A server's text may be long. */
const MAX_LINES = 200

async function printChange({ id, isKnown, lines }: ChangedTool, out: Context['out']): Promise<void> {
  await out.ready()
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`)
  const rest = lines.length - shown.length
  if (rest > 0) shown.push(`  … and ${counted(rest, 'more line')}: --json has them all`)
  out.line([isKnown ? `${id}:` : `${id}, never seen before:`, ...shown].join('\n'))
}
