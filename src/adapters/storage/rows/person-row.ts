import type { Person, PersonId } from '../../../chat/people/person.ts'

/** What a `Person` is made from. */
export interface PersonRow {
  readonly id: PersonId
  readonly name: string
  readonly admin: number
}

/** A registered person; guests have no row. */
export const toPerson = ({ id, name, admin }: PersonRow): Person => ({
  id,
  name,
  admin: admin === 1,
  guest: false,
})
