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
const ONLY_FOR = { show: 'approve', 'token-env': 'connect', 'pass-env': 'connect', trust: 'connect' } as const

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
  for (const [flag, only] of Object.entries(ONLY_FOR)) {
    const value = flags[flag as keyof typeof ONLY_FOR]
    const isGiven = typeof value === 'object' ? value.length > 0 : Boolean(value ?? false)
    if (action !== only && isGiven) throw new Misuse(`--${flag} is for ${only}`)
  }
  const hasTarget = action === 'connect' || action === 'login'
  if (WITHOUT_NAME.includes(action) ? name !== undefined : !hasTarget && target !== undefined)
    throw new Misuse(`${action} takes nothing more`)
}

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

const print = ({ flags, out }: Context, json: unknown, text: string): void =>
  out.line(flags.json ? safeJson(json) : text)

const printServer = (server: ListedMcp, context: Context): void =>
  print(context, mcpJson(server), mcpLine(server))

const NO_SERVERS =
  'there is no MCP server: name one in [[mcp]] of the config, or /mcp connect NAME URL-or-COMMAND'

const ACTIONS: Readonly<Record<Context['args']['action'], Action>> = {
  list(servers, context) {
    const all = servers.list()
    print(context, all.map(mcpJson), all.map(mcpLine).join('\n') || NO_SERVERS)
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
      print(context, { ...mcpJson(server), ...(login && loginJson(name, login)) }, mcpLine(server))
      if (login && !flags.json) out.line(loginLines(name, login, session !== undefined))
    })
    if (session) out.line(`connecting to ${name}…`)
    await finish(context, connected)
  },

  async disconnect(servers, context) {
    const name = nameIn(context)
    await servers.disconnect(name, context.person)
    print(context, { name, state: 'gone' }, `${name} is disconnected, and its tools are gone`)
  },

  async refresh(servers, context) {
    const read = servers.refresh(nameIn(context)).then((server) => printServer(server, context))
    await finish(context, read)
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
    const { args, person, session } = context
    const name = nameIn(context)
    const work =
      args.target === undefined
        ? servers
            .login(name, person)
            .then((begun) =>
              print(context, loginJson(name, begun), loginLines(name, begun, session !== undefined)),
            )
        : servers.finishLogin(name, args.target, person).then((server) => printServer(server, context))
    await finish(context, work)
  },

  async logout(servers, context) {
    const name = nameIn(context)
    const { was, why } = await servers.logout(name, context.person)
    const json = { name, was, revoked: was === 'held' && why === undefined, why: why ?? null }
    const left = why === undefined ? ', and its tokens hold no more' : `; ${why}`
    const text =
      was === 'begun'
        ? `nobody was logged in at ${name}; the login that was begun there is ended`
        : `the login at ${name} is forgotten${left}`
    print(context, json, text)
  },

  /** An agent's config names it as its server: `ssh host mcp serve`. */
  async serve(_servers, { script }) {
    if (!script?.serveMcp) throw new Refusal('an agent runs it, and not a session: ssh HOST mcp serve')
    await script.serveMcp()
  },
}

/** Lines of one tool's difference. A server's text may be long. */
const MAX_LINES = 200

async function printChange({ id, isKnown, lines }: ChangedTool, out: Context['out']): Promise<void> {
  await out.ready()
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`)
  const rest = lines.length - shown.length
  if (rest > 0) shown.push(`  … and ${counted(rest, 'more line')}: --json has them all`)
  out.line([isKnown ? `${id}:` : `${id}, never seen before:`, ...shown].join('\n'))
}
