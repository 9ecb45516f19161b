import type { Sanction } from '../../../chat/moderation/ports.ts'

/** A row of `sanctions`; `people` and `keys` are JSON. */
export type SanctionRow = Omit<Sanction, 'people' | 'keys'> & {
  readonly people: string
  readonly keys: string
}

export function toSanction(row: SanctionRow): Sanction {
  const lists: Pick<Sanction, 'people' | 'keys'> = JSON.parse(`{"people":${row.people},"keys":${row.keys}}`)
  return { ...row, ...lists }
}

export const toRow = ({ people, keys, ...sanction }: Sanction): SanctionRow => ({
  ...sanction,
  people: JSON.stringify(people),
  keys: JSON.stringify(keys),
})
