import { mayManage } from '../../chat/access.ts'
import { Refusal, UsageError } from '../../chat/errors.ts'
import type { Clock } from '../../chat/ports.ts'
import { duration } from '../../lib/duration.ts'
import { visibleText } from '../../lib/visible-text.ts'
import type { Grant, GrantStore } from '../../approvals/ports.ts'
import { JSON_FLAG, type Call, type Command } from '../command.ts'

/** Who may do something here without being asked. Everybody sees their own, who manages the room sees all. */
export function permsCommand(grants: GrantStore, clock: Clock): Command {
  return {
    name: 'perms',
    summary: 'what tools may do here without asking: list it, or revoke N',
    room: 'here',
    flags: [JSON_FLAG],
    parameters: [
      { name: 'action', optional: true },
      { name: 'number', optional: true },
    ],
    async run(call) {
      const { action, number } = call.args
      if (action === undefined) return show(call, await visibleTo(call))
      if (action !== 'revoke' || !/^\d{1,9}$/.test(number ?? ''))
        throw new UsageError('perms: say revoke and a number of the list', 'perms ROOM [revoke N]')
      await revoke(call, Number(number))
    },
  }

  async function visibleTo({ room, person }: Call): Promise<readonly Grant[]> {
    const all = await grants.list(room!.name, clock.now())
    return mayManage(await room!.roleOf(person)) ? all : all.filter((grant) => grant.person === person.id)
  }

  function show({ room, flags, out }: Call, list: readonly Grant[]): void {
    if (flags['json']) return out.line(JSON.stringify({ room: room!.name, grants: list.map(grantJson) }))
    if (list.length === 0) return out.line('nothing is allowed here without asking')
    for (const grant of list) out.line(grantText(grant, clock.now()))
  }

  async function revoke(call: Call, id: number): Promise<void> {
    const { room, person, session, out } = call
    const grant = (await visibleTo(call)).find((one) => one.id === id)
    if (!grant || !(await grants.remove(room!.name, id)))
      throw new Refusal(`there is no permission ${id} of yours in ${room!.name}; see perms`)
    const { tool, name: requester } = grant
    const text = `revoked permission ${id} (${tool} for ${requester})`
    await room!.record({ kind: 'approval', author: person.name, tool, requester, verdict: 'revoked', text })
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
