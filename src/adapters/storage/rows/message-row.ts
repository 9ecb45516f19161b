import type { Fingerprint, PersonId } from '../../../chat/people/person.ts'
import type { DirectMessage } from '../../../chat/talk/ports.ts'

/** A row of `direct_messages`. */
export interface MessageRow {
  readonly id: string
  readonly recipient: PersonId
  readonly sender: PersonId
  readonly name: string
  readonly guest: number
  readonly key: Fingerprint | null
  readonly at: number
  readonly text: string
}

export const toRow = ({ id, to, from, at, text }: DirectMessage): MessageRow => ({
  id,
  recipient: to,
  sender: from.id,
  name: from.name,
  guest: from.guest ? 1 : 0,
  key: from.key ?? null,
  at,
  text,
})

export const toMessage = ({
  id,
  recipient,
  sender,
  name,
  guest,
  key,
  at,
  text,
}: MessageRow): DirectMessage => ({
  id,
  to: recipient,
  from: { id: sender, name, guest: guest === 1, ...(key === null ? {} : { key }) },
  at,
  text,
})
