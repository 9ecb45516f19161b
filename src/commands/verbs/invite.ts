import { mayManage } from '../../chat/access.ts'
import { Refusal } from '../../chat/errors.ts'
import type { InvitationNotices } from '../../chat/invitations/invitation-notices.ts'
import type { PeopleStore, RoomStore } from '../../chat/ports.ts'
import { skeleton } from '../../lib/text/skeleton.ts'
import { defineCommand, type Command } from '../define.ts'

export const inviteCommand = (
  rooms: Pick<RoomStore, 'membership' | 'setMembership'>,
  people: Pick<PeopleStore, 'bySkeleton'>,
  notices: InvitationNotices,
): Command =>
  defineCommand({
    name: 'invite',
    summary: 'let somebody into this private room; they are told at once, or as they come in next',
    room: 'here',
    arguments: [{ name: 'name', about: 'of somebody who was here before' }],
    example: 'bob',
    rights: { rule: 'The owner of a private room, and its ops.' },
    complete: ({ room }) => room.present().map((person) => person.name),
    async run({ person, room, args, out }) {
      const { private: isPrivate } = await room.info()
      if (!isPrivate) throw new Refusal(`${room.name} is public: anybody can /join ${room.name}`)
      if (!mayManage(await room.roleOf(person)))
        throw new Refusal('only the owner or an op can invite people')
      const guest = await people.bySkeleton(skeleton(args.name))
      if (!guest) throw new Refusal(`nobody called ${args.name} has registered here`)
      const already = await rooms.membership(room.name, guest.id)
      if (already)
        throw new Refusal(`${guest.name} is ${already === 'invited' ? 'invited' : 'a member'} already`)
      await notices.prepare(room, guest, person)
      await rooms.setMembership(room.name, guest.id, 'invited')
      await notices.tell(guest)
      out.line(`${guest.name} may join ${room.name} now`)
    },
  })
