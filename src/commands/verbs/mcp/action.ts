import { JSON_FLAG, type CommandContext } from '../../define.ts'
import { Misuse } from '../../usage.ts'
import type { McpAdmin } from './ports.ts'

export const ARGUMENTS = [
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

export const FLAGS = [
  { name: 'show', about: 'for approve: what is other than before, and nothing is approved' },
  {
    name: 'token-env',
    about: 'for connect to an address: the variable of the server’s environment that holds the token',
    value: 'VAR',
  },
  {
    name: 'trust',
    about: 'for connect: `annotations` believes a tool that says that it only reads; `ask` when absent',
    value: 'HOW',
  },
  JSON_FLAG,
] as const

/** What an action is given. */
export type McpContext = CommandContext<'none', typeof ARGUMENTS, typeof FLAGS>

/** Does one thing. For all but `serve` the person is an admin now. */
export type McpAction = (servers: McpAdmin, context: McpContext) => Promise<void>

/** The name that was given. Throws `Misuse`. */
export function nameIn({ args }: McpContext): string {
  if (args.name === undefined) throw new Misuse(`${args.action} takes the name of a server`)
  return args.name
}
