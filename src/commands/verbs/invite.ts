import { mayManage } from '../../chat/may-manage.ts'
import { Refusal } from '../../chat/errors.ts'
import type { InvitationNotices } from '../../chat/invitations/invitation-notices.ts'
import type { Memberships } from '../../chat/moderation/memberships.ts'
import type { Clock, PeopleStore, RoomStore } from '../../chat/ports.ts'
import type { Ignores } from '../../chat/talk/ignores.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { type Command, defineCommand } from '../command.ts'

export const inviteCommand = (
  rooms: Pick<RoomStore, 'membership' | 'setMembership'>,
  people: Pick<PeopleStore, 'bySkeleton'>,
  notices: InvitationNotices,
  {
    clock,
    memberships,
    ignores,
  }: {
    readonly clock: Clock
    readonly memberships: Pick<Memberships, 'needInvitable'>
    readonly ignores: Pick<Ignores, 'isIgnored'>
  },
): Command =>
  defineCommand({
    name: 'invite',
    summary: 'let somebody into this private room; they are told at once, or as they come in next',
    room: 'here',
    arguments: [{ name: 'name', about: 'of somebody who was here before' }],
    example: 'bob',
    complete: ({ room }) => room.present().map((person) => person.name),
    async run({ person, room, args, out }) {
      const { private: isPrivate } = await room.info()
      if (!isPrivate) throw new Refusal(`${room.name} is public: anybody can /join ${room.name}`)
      if (!mayManage(await room.roleOf(person)))
        throw new Refusal('only the owner or an op can invite people')
      const guest = await people.bySkeleton(skeleton(args.name), clock.now())
      if (!guest) throw new Refusal(`nobody called ${args.name} has registered here`)
      memberships.needInvitable(room, guest)
      const already = await rooms.membership(room.name, guest.id)
      if (already)
        throw new Refusal(`${guest.name} is ${already === 'invited' ? 'invited' : 'a member'} already`)
      // Who is ignored could write with the names of rooms. The invitation stands in /rooms.
      if (!(await ignores.isIgnored(guest, person))) await notices.prepare(room, guest, person)
      await rooms.setMembership(room.name, guest.id, 'invited')
      await notices.tell(guest)
      const text = `${person.name} invited ${guest.name}`
      await room.record({
        kind: 'notice',
        level: 'info',
        author: person.name,
        text,
        act: { verb: 'invite', who: guest.name },
      })
      out.line(`${guest.name} may join ${room.name} now`)
    },
  })
