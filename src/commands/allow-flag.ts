import { Refusal } from '../chat/errors.ts'
import type { Approvals } from '../approvals/approvals.ts'
import type { Mention, Turns } from '../turns/turns.ts'
import type { Call, Flag } from './command.ts'
import { needManager } from './rights.ts'

/** `--allow run_command`, as often as needed: what a script allows in advance, because nobody can ask it. */
export const ALLOW_FLAG: Flag = { name: 'allow', value: 'TOOL', repeats: true }

/** Gives the permissions that a caller's tools have: nothing for a session, which is asked. Throws `Refusal`. */
export type CallerPermissions = (call: Call) => Promise<Pick<Mention, 'permissions'>>

export function createCallerPermissions(turns: Turns, approvals: Approvals): CallerPermissions {
  return async (call) => {
    const names = String(call.flags['allow'] ?? '')
      .split(/[ ,]+/)
      .filter((name) => name !== '')
    if (!call.session) return { permissions: approvals.named(await toolIds(call, names)) }
    if (names.length === 0) return {}
    throw new Refusal('--allow is for scripts: in a session you are asked, and answer with /allow')
  }

  async function toolIds({ room, person }: Call, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set()
    await needManager(room!, person, 'allow tools from a script')
    const { tools } = await turns.scope({ room: room!, person })
    const ids = names.map((name) => {
      const found = tools.find(({ tool }) => tool.name === name || tool.id === name)
      if (found) return [found.tool.id, ...found.tool.aliasOf]
      throw new Refusal(`there is no tool called ${name.slice(0, 64)} in ${room!.name}; see tools`)
    })
    return new Set(ids.flat())
  }
}
