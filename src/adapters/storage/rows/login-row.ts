import type { PersonId } from '../../../chat/people/person.ts'
import type { LoginFacts } from '../../../chat/ports.ts'
import { type PersonRow, toPerson } from './person-row.ts'

/** Whoever has the name, if anybody, and what is to be known of the key. */
export type LoginRow = (PersonRow | { readonly id: null }) & {
  readonly filedName: string | null
  readonly owns: number
  readonly waits: number
}

export function toLoginFacts(
  { owns, waits, filedName, ...row }: LoginRow,
  holders: readonly PersonId[],
  founders: readonly PersonId[],
): LoginFacts {
  const facts = {
    ...{ ownsName: owns === 1, isWaiting: waits === 1 },
    ...{ namesOfKey: holders.length, holders, founders },
  }
  return row.id === null ? facts : { person: toPerson(row), filedName: filedName ?? '', ...facts }
}
