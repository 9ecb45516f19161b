import { Refusal } from '../../words/errors.ts'
import { duration, counted } from '../../base/amounts.ts'
import { safeJson } from '../../base/json.ts'
import { arg, flag, JSON_FLAG, Misuse, text, type CommandContext } from '../command.ts'
import { print, verb } from './common.ts'
import type { BegunLogin, ChangedTool, ListedMcp, McpAdmin } from './mcp-admin.ts'

const ARGUMENTS = [
  arg('action', 'what to do', {
    oneOf: ['list', 'connect', 'disconnect', 'refresh', 'approve', 'login', 'logout', 'serve'],
    usual: 'list',
  }),
  arg('name', 'the name of a server, for all actions but list and serve; its tools are NAME_tool', {
    optional: true,
  }),
  text(
    'target',
    'for connect, a URL, or a program with its arguments; for login, the URL that the browser shows in the end',
    { optional: true },
  ),
] as const

const VARIABLE = 'environment variable of the sshawl server that'
const FLAGS = [
  flag('show', 'for approve: shows the changes, and approves nothing'),
  flag('token-env', `for connect to a URL: the ${VARIABLE} holds the token`, { value: 'VAR' }),
  flag('pass-env', `for connect to a program: an ${VARIABLE} the program gets, too`, {
    value: 'VAR',
    repeats: true,
  }),
  flag(
    'trust',
    'for connect: annotations trusts tools that declare themselves read-only; the default is ask',
    {
      value: 'HOW',
    },
  ),
  JSON_FLAG,
] as const

type Context = CommandContext<'none', typeof ARGUMENTS, typeof FLAGS>
type Action = (servers: McpAdmin, context: Context) => Promise<void> | void

const ONLY_FOR = { show: 'approve', 'token-env': 'connect', 'pass-env': 'connect', trust: 'connect' } as const

const WITHOUT_NAME: readonly string[] = ['list', 'serve']

export const mcp = verb({
  name: 'mcp',
  summary:
    'MCP servers, which bring tools: list, connect NAME URL-or-COMMAND, disconnect NAME, refresh NAME, approve NAME, login NAME, logout NAME; serve lets an agent join by MCP',
  arguments: ARGUMENTS,
  flags: FLAGS,
  example: 'list',
  rights: {
    note: 'Everybody may use `serve`, under their own name. The other actions are for admins, because MCP servers run with the rights of the sshawl server.',
  },
  complete: {
    name: ({ given: [action = ''], person }, { mcp: servers }) =>
      person.admin && action !== 'connect' && !WITHOUT_NAME.includes(action)
        ? servers.list().map(({ name }) => name)
        : [],
  },
  async run(context, { mcp: servers, people }) {
    const { action } = context.args
    if (action !== 'serve' && !(await people.current(context.person)).admin)
      throw new Refusal('only admins can manage MCP servers')
    assertFits(context)
    await ACTIONS[action](servers, context)
  },
})

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

function requireName({ args }: Context): string {
  if (args.name === undefined) throw new Misuse(`${args.action} takes the name of a server`)
  return args.name
}

/** Lets a session go on during `work`; a script waits for it. */
async function finish({ session, inBackground }: Context, work: () => Promise<void>): Promise<void> {
  if (session) inBackground(work())
  else await work()
}

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
    const name = requireName(context)
    if (args.target === undefined)
      throw new Misuse('connect takes an address, or a program with its arguments')
    const order = {
      name,
      target: args.target,
      trust: flags.trust,
      tokenEnv: flags['token-env'],
      passEnv: flags['pass-env'],
    }
    if (session) out.line(`connecting to ${name}…`)
    await finish(context, async () => {
      const { server, login } = await servers.connect(order, person)
      print(context, { ...mcpJson(server), ...(login && loginJson(name, login)) }, mcpLine(server))
      if (login && !flags.json) out.line(loginLines(name, login, context))
    })
  },

  async disconnect(servers, context) {
    const name = requireName(context)
    await servers.disconnect(name, context.person)
    print(context, { name, state: 'gone' }, `${name} is disconnected, and its tools are gone`)
  },

  async refresh(servers, context) {
    const name = requireName(context)
    await finish(context, async () => printServer(await servers.refresh(name), context))
  },

  async approve(servers, context) {
    const { flags, out, person } = context
    const name = requireName(context)
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
        ? `${tools} withheld; /mcp approve ${name} shows and approves what the server sends then`
        : `${tools} approved`,
    )
  },

  async login(servers, context) {
    const { args, person } = context
    const name = requireName(context)
    await finish(context, async () => {
      if (args.target !== undefined)
        return printServer(await servers.finishLogin(name, args.target, person), context)
      const begun = await servers.login(name, person)
      print(context, loginJson(name, begun), loginLines(name, begun, context))
    })
  },

  async logout(servers, context) {
    const name = requireName(context)
    const { was, why } = await servers.logout(name, context.person)
    const json = { name, was, revoked: was === 'held' && why === undefined, why: why ?? null }
    const left = why === undefined ? ', and its tokens were revoked' : `; ${why}`
    const text =
      was === 'begun'
        ? `nobody was logged in at ${name}; the login that was begun there is ended`
        : `the login at ${name} is forgotten${left}`
    print(context, json, text)
  },

  /** Serves MCP to an agent whose config runs `ssh host mcp serve`. */
  async serve(_servers, { script }) {
    if (!script?.serveMcp) throw new Refusal('an agent runs it, and not a session: ssh HOST mcp serve')
    await script.serveMcp()
  },
}

/** Lines of one tool's difference that are shown, since a server's text may be long. */
const MAX_LINES = 200

async function printChange({ id, isKnown, lines }: ChangedTool, out: Context['out']): Promise<void> {
  await out.ready()
  const shown = lines.slice(0, MAX_LINES).map((line) => `  ${line}`)
  const rest = lines.length - shown.length
  if (rest > 0) shown.push(`  … and ${counted(rest, 'more line')}: --json has them all`)
  out.line([isKnown ? `${id}:` : `${id}, never seen before:`, ...shown].join('\n'))
}

const mcpJson = ({ name, state, why, tools, trust, at, by, login }: ListedMcp) => ({
  name,
  state,
  why,
  tools: tools.offered,
  withheld: tools.withheld,
  left_out: tools.leftOut,
  trust,
  login,
  at,
  from: by === null ? 'config' : 'command',
  by,
})

const MAX_LEFT_OUT = 3

/** Returns `holler  up, 6 tools, 1 withheld; http://localhost:8080/…, by root`. */
function mcpLine({ name, state, why, tools, at, by, login }: ListedMcp): string {
  const { offered, withheld, leftOut } = tools
  const skipped = leftOut
    .slice(0, MAX_LEFT_OUT)
    .map((one) => [one.name, `(${one.why})`].filter(Boolean).join(' '))
  if (leftOut.length > MAX_LEFT_OUT) skipped.push('… (--json has them all)')
  const facts = [
    why === null ? state : `${state} (${why})`,
    state === 'up' && counted(offered, 'tool'),
    login === 'held' && 'logged in',
    skipped.length > 0 && `left out: ${skipped.join(', ')}`,
    withheld.length > 0 && `${withheld.length} withheld: /mcp approve --show ${name} says how they changed`,
  ]
  return `${name}  ${facts.filter(Boolean).join(', ')}; ${at}, ${by === null ? 'of the config' : `by ${by}`}`
}

const loginJson = (name: string, { address, back, holdsMs }: BegunLogin) => ({
  name,
  open: address,
  back,
  holds_s: holdsMs / 1000,
})

/** Returns instructions for a person. A terminal may break the address into rows. */
function loginLines(name: string, { address, back, holdsMs }: BegunLogin, { session }: Context): string {
  return [
    `${name} wants a login. Open this in a browser, on any machine, and log in at ${new URL(address).host}:`,
    `  ${address}`,
    `In the end the browser goes to ${back}. If no page is there, copy the address that it shows, and`,
    `  /mcp login ${name} ADDRESS`,
    session && `If you cannot copy it here: ssh HOST mcp login ${name} prints it on one line.`,
    `You have ${duration(holdsMs)} for this login.`,
  ]
    .filter(Boolean)
    .join('\n')
}
