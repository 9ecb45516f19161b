import { duration } from '../../../lib/duration.ts'
import { safeJson } from '../../../lib/safe-json.ts'
import { nameIn, type McpAction, type McpContext } from './action.ts'
import { mcpJson, mcpLine } from './list.ts'
import type { BegunLogin } from './ports.ts'

/** `mcp login`: says where a person logs in; with the address to which the browser went, that is all. */
export const login: McpAction = async (servers, context) => {
  const { args, flags, out, person, session } = context
  const name = nameIn(context)
  const { target } = args
  const work =
    target === undefined
      ? servers
          .login(name, person)
          .then((begun) =>
            out.line(flags.json ? safeJson(loginJson(name, begun)) : loginLines(name, begun, session)),
          )
      : servers
          .finishLogin(name, target, person)
          .then((server) => out.line(flags.json ? safeJson(mcpJson(server)) : mcpLine(server)))
  if (!session) return await work
  session.inBackground(work)
}

/** As programs see it. */
export const loginJson = (name: string, { address, back, holdsMs }: BegunLogin) => ({
  name,
  open: address,
  back,
  holds_s: holdsMs / 1000,
})

/** What a person has to do. A terminal may have broken the address into rows. */
export const loginLines = (
  name: string,
  { address, back, holdsMs }: BegunLogin,
  session: McpContext['session'],
): string =>
  [
    `${name} wants a login. Open this in a browser, on any machine, and log in at ${new URL(address).host}:`,
    `  ${address}`,
    `In the end the browser goes to ${back}. If no page is there, copy the address that it shows, and`,
    `  /mcp login ${name} ADDRESS`,
    ...(session
      ? [`Where it cannot be copied from here: ssh HOST mcp login ${name} prints it on one line.`]
      : []),
    `That holds for ${duration(holdsMs)}.`,
  ].join('\n')
