import { isReservedToolId } from '../../../chat/tool-words.ts'
import { shortHash } from '../../../lib/hash.ts'

const MAX_ID_CHARS = 64

/** What an id may not be mistaken for. */
export interface OtherNames {
  /** Of all servers. */
  readonly servers: readonly string[]
  /** Whether a tool that comes from elsewhere has an id; its case makes no difference. */
  isTaken(id: string): boolean
}

/**
 * The ids of a server's tools by their names: NAME_tool. What no id may hold becomes `_`, and then, and where it would be too
 * long or be taken for another, a hash of the name ends it. A tool that begins with the name of another server has a hash
 * too: `two_x` of `holler` would be `x` of `holler_two`, and `two` a word for all of it. So an id depends on no other server's tools.
 */
export function toolIds(
  server: string,
  names: readonly string[],
  { servers, isTaken }: OtherNames,
): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, `${server}_${name.replace(/[^A-Za-z0-9_-]/gu, '_')}`]))
  const uses = new Map<string, number>()
  for (const id of plain.values()) uses.set(id.toLowerCase(), (uses.get(id.toLowerCase()) ?? 0) + 1)
  const isClear = (name: string, id: string): boolean =>
    id === `${server}_${name}` &&
    id.length <= MAX_ID_CHARS &&
    uses.get(id.toLowerCase()) === 1 &&
    !isReservedToolId(id) &&
    !isTaken(id) &&
    !servers.some((other) => other.length > server.length && `${id}_`.startsWith(`${other}_`))
  return new Map(
    [...plain].map(([name, id]) => [
      name,
      isClear(name, id) ? id : `${prefixed(id)}_${shortHash(`${server} ${name}`)}`,
    ]),
  )
}

/** The hash has eight digits and an underscore before it. The tools of the rooms keep the beginning of their ids. */
const prefixed = (id: string): string =>
  (id.toLowerCase().startsWith('sshawl_') ? `mcp_${id}` : id).slice(0, MAX_ID_CHARS - 9)
