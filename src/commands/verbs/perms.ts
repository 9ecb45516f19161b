import { mayManage } from '../../chat/may-manage.ts'
import { Refusal } from '../../chat/errors.ts'
import type { Clock } from '../../chat/ports.ts'
import { duration } from '../../lib/duration.ts'
import { visibleText } from '../../lib/text/visible-text.ts'
import { safeJson } from '../../lib/safe-json.ts'
import type { Grant, GrantStore } from '../../approvals/ports.ts'
import { type Command, type CommandContext, JSON_FLAG, Misuse, defineCommand } from '../command.ts'

type Here = CommandContext<'here'>

/** Lists and revokes grants. People see their own; whoever manages the room sees all of them. */
export function permsCommand(grants: Pick<GrantStore, 'list' | 'remove'>, clock: Clock): Command {
  return defineCommand({
    name: 'perms',
    summary: 'what tools may do here without asking: list it, or revoke one',
    room: 'here',
    flags: [JSON_FLAG],
    arguments: [
      { name: 'action', about: 'what to do', optional: true, oneOf: ['revoke'] },
      { name: 'number', about: 'of a permission in the list', optional: true },
    ],
    example: 'revoke 1',
    needsVoice: ({ action }) => action !== undefined,
    rights: {
      note: 'Each sees and revokes their own permissions; the owner of the room, an op or an admin all.',
    },
    async run(context) {
      const { action, number = '' } = context.args
      if (action === undefined) return show(context, await visibleTo(context), context.flags.json)
      if (!/^\d{1,9}$/.test(number)) throw new Misuse('NUMBER must be one of the list')
      await revoke(context, Number(number))
    },
  })

  async function visibleTo({ room, person }: Here): Promise<readonly Grant[]> {
    const all = await grants.list(room.name, clock.now())
    return mayManage(await room.roleOf(person)) ? all : all.filter((grant) => grant.person === person.id)
  }

  function show({ room, out }: Here, list: readonly Grant[], asJson: boolean): void {
    if (asJson) return out.line(safeJson({ room: room.name, grants: list.map(grantJson) }))
    if (list.length === 0) return out.line('nothing is allowed here without asking')
    for (const grant of list) out.line(grantText(grant, clock.now()))
  }

  async function revoke(context: Here, id: number): Promise<void> {
    const { room, person, session, out } = context
    const grant = (await visibleTo(context)).find((one) => one.id === id)
    if (!grant || !(await grants.remove(room.name, id)))
      throw new Refusal(`there is no permission ${id} of yours in ${room.name}; see /perms`)
    const { tool, name: requester } = grant
    const text = `revoked permission ${id} (${tool} for ${requester})`
    await room.record({ kind: 'approval', author: person.name, tool, requester, verdict: 'revoked', text })
    if (!session) out.line(text)
  }
}

/** The lines of the target stand behind bars, as in the question. */
function grantText({ id, name, tool, target, until, by }: Grant, now: number): string {
  const end = until === undefined ? 'until it is revoked' : `for ${duration(until - now)}`
  const lines = visibleText(target)
    .split('\n')
    .map((line) => `  | ${line}`)
  return [`${id}  ${tool} for ${name}, ${end}, allowed by ${by}`, ...lines].join('\n')
}

const grantJson = ({ id, name, tool, target, until, by, at }: Grant) => ({
  id,
  requester: name,
  tool,
  target,
  until: until === undefined ? null : new Date(until).toISOString(),
  by,
  at: new Date(at).toISOString(),
})
