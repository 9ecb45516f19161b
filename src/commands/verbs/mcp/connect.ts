import { safeJson } from '../../../lib/safe-json.ts'
import { Misuse } from '../../usage.ts'
import { nameIn, type McpAction } from './action.ts'
import { mcpJson, mcpLine } from './list.ts'
import { loginJson, loginLines } from './login.ts'

/** `mcp connect`: a server that answers, or wants a login, is kept until it is disconnected. */
export const connect: McpAction = async (servers, context) => {
  const { args, flags, out, person, session } = context
  const name = nameIn(context)
  if (args.target === undefined) throw new Misuse('connect takes an address, or a program with its arguments')
  const order = {
    name,
    target: args.target,
    ...(flags.trust === undefined ? {} : { trust: flags.trust }),
    ...(flags['token-env'] === undefined ? {} : { tokenEnv: flags['token-env'] }),
  }
  const connected = servers.connect(order, person).then(({ server, login }) => {
    if (flags.json) return out.line(safeJson({ ...mcpJson(server), ...(login && loginJson(name, login)) }))
    out.line(mcpLine(server))
    if (login) out.line(loginLines(name, login, session))
  })
  if (!session) return await connected
  out.line(`connecting to ${name}…`)
  session.inBackground(connected)
}
