import type { Approvals } from '../../../approvals/approvals.ts'
import { Refusal } from '../../../chat/errors.ts'
import type { Mention, Turns } from '../../../turns/turns.ts'
import type { CommandContext, FlagSpec } from '../../command.ts'
import { needManager } from '../../runner.ts'

/** `--allow run_command`, as often as needed: what a script allows in advance, because nobody can ask it. */
export const ALLOW_FLAG = {
  name: 'allow',
  about: 'a tool that need not ask; may be given again',
  value: 'TOOL',
  repeats: true,
} as const satisfies FlagSpec

/** Who may use it, besides their role. */
export const ALLOW_NOTE = '--allow is for scripts alone.'

type Here = CommandContext<'here'>

/** The permissions that a caller's tools have: nothing where people are asked in the room. Throws `Refusal`. */
export type CallerPermissions = (
  context: Here,
  allowed: readonly string[],
) => Promise<Pick<Mention, 'permissions'>>

/** `allowed` are the values of the flag: tools by name or id. */
export function createCallerPermissions(
  turns: Pick<Turns, 'scope'>,
  approvals: Pick<Approvals, 'named'>,
): CallerPermissions {
  return async (context, allowed) => {
    const names = allowed.flatMap((value) => value.split(',')).filter((name) => name !== '')
    if (!context.session && !context.script?.agent)
      return { permissions: approvals.named(await toolIds(context, names)) }
    if (names.length === 0) return {}
    throw new Refusal('--allow is for scripts: in a session you are asked, and answer with /allow')
  }

  async function toolIds({ room, person }: Here, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set()
    await needManager(room, person, 'allow tools from a script')
    const { tools } = await turns.scope({ room, person })
    const ids = names.map((name) => {
      const found = tools.find(({ tool }) => tool.name === name || tool.id === name)
      if (found) return [found.tool.id, ...found.tool.aliasOf]
      throw new Refusal(`there is no tool called ${name.slice(0, 64)} in ${room.name}; see /tools`)
    })
    return new Set(ids.flat())
  }
}
