import { Refusal } from '../../../chat/errors.ts'
import type { People } from '../../../chat/people/people.ts'
import type { Person } from '../../../chat/people/person.ts'
import { defineCommand, JSON_FLAG, type Command, type CommandContext } from '../../define.ts'
import { Misuse } from '../../usage.ts'
import { approve } from './approve.ts'
import { connect } from './connect.ts'
import { list } from './list.ts'
import type { McpAdmin } from './ports.ts'
import { refresh } from './refresh.ts'
import { disconnect } from './disconnect.ts'

const ARGUMENTS = [
  {
    name: 'action',
    about: 'what to do',
    oneOf: ['list', 'connect', 'disconnect', 'refresh', 'approve'],
  },
  { name: 'name', about: 'for all but list, the name of a server; its tools are NAME_tool', optional: true },
  {
    name: 'target',
    about: 'for connect, an address, or a program with its arguments',
    optional: true,
    takes: 'rest',
  },
] as const

const FLAGS = [
  { name: 'show', about: 'for approve: what is other than before, and nothing is approved' },
  {
    name: 'token-env',
    about: 'for connect to an address: the variable of the server’s environment that holds the token',
    value: 'VARIABLE',
  },
  {
    name: 'trust',
    about: 'for connect: `annotations` believes a tool that says that it only reads; `ask` when absent',
    value: 'TRUST',
  },
  JSON_FLAG,
] as const

/** What an action is given. */
export type McpContext = CommandContext<'none', typeof ARGUMENTS, typeof FLAGS>

/** Does one thing. `person` is an admin now. */
export type McpAction = (servers: McpAdmin, context: McpContext) => Promise<void>

const ACTIONS: Readonly<Record<(typeof ARGUMENTS)[0]['oneOf'][number], McpAction>> = {
  list,
  connect,
  disconnect,
  refresh,
  approve,
}

/** The flags of one action alone. */
const ONLY_FOR = { show: 'approve', 'token-env': 'connect', trust: 'connect' } as const

export function mcpCommand(servers: McpAdmin, people: Pick<People, 'current'>): Command {
  return defineCommand({
    name: 'mcp',
    summary:
      'servers of tools: list, connect NAME URL-or-COMMAND, disconnect NAME, refresh NAME, approve NAME',
    room: 'none',
    arguments: ARGUMENTS,
    flags: FLAGS,
    example: 'connect holler http://localhost:8080/mcp',
    rights: { note: 'Only admins: a command runs with the rights of the server.' },
    complete: ({ given, argument, person }) =>
      argument === 'name' && person.admin && given[0] !== 'connect' && given[0] !== 'list'
        ? servers.list().map(({ name }) => name)
        : [],
    async run(context) {
      const { action, name, target } = context.args
      await needAdmin(context.person)
      for (const [flag, only] of Object.entries(ONLY_FOR))
        if (isGiven(context.flags, flag) && action !== only) throw new Misuse(`--${flag} is for ${only}`)
      if (action === 'list' ? name !== undefined : action !== 'connect' && target !== undefined)
        throw new Misuse(`${action} takes nothing more`)
      await ACTIONS[action](servers, context)
    },
  })

  async function needAdmin(person: Person): Promise<void> {
    if (!(await people.current(person)).admin) throw new Refusal('only admins can manage MCP servers')
  }
}

const isGiven = (flags: McpContext['flags'], name: string): boolean => {
  const value: unknown = Reflect.get(flags, name)
  return value !== undefined && value !== false
}

/** The name that was given. Throws `Misuse`. */
export function nameIn({ args }: McpContext): string {
  if (args.name === undefined) throw new Misuse(`${args.action} takes the name of a server`)
  return args.name
}
