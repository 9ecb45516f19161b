import { Refusal } from '../../../chat/errors.ts'
import type { People } from '../../../chat/people/people.ts'
import type { Person } from '../../../chat/people/person.ts'
import { defineCommand, type Command } from '../../define.ts'
import { Misuse } from '../../usage.ts'
import { ARGUMENTS, FLAGS, type McpAction, type McpContext } from './action.ts'
import { approve } from './approve.ts'
import { connect } from './connect.ts'
import { list } from './list.ts'
import { login } from './login.ts'
import { logout } from './logout.ts'
import type { McpAdmin } from './ports.ts'
import { refresh } from './refresh.ts'
import { disconnect } from './disconnect.ts'
import { serve } from './serve.ts'

const ACTIONS: Readonly<Record<(typeof ARGUMENTS)[0]['oneOf'][number], McpAction>> = {
  list,
  connect,
  disconnect,
  refresh,
  approve,
  login,
  logout,
  serve,
}

const NONE_NAMED: ReadonlySet<string> = new Set(['list', 'serve'])
const ONE_NAMED: ReadonlySet<string> = new Set(['disconnect', 'refresh', 'approve', 'login', 'logout'])
/** What takes more than a name. */
const WITH_TARGET: ReadonlySet<string> = new Set(['connect', 'login'])

/** The flags of one action alone. */
const ONLY_FOR = { show: 'approve', 'token-env': 'connect', trust: 'connect' } as const

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
    complete: ({ given, argument, person }) =>
      argument === 'name' && person.admin && ONE_NAMED.has(given[0] ?? '')
        ? servers.list().map(({ name }) => name)
        : [],
    async run(context) {
      const { action, name, target } = context.args
      if (action !== 'serve') await needAdmin(context.person)
      for (const [flag, only] of Object.entries(ONLY_FOR))
        if (isGiven(context.flags, flag) && action !== only) throw new Misuse(`--${flag} is for ${only}`)
      if (NONE_NAMED.has(action) ? name !== undefined : !WITH_TARGET.has(action) && target !== undefined)
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
