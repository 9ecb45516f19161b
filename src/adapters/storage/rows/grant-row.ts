import type { Grant } from '../../../approvals/ports.ts'

/** A row of `grants`. */
export type GrantRow = Omit<Grant, 'until'> & { readonly until: number | null }

export const toGrant = ({ until, ...grant }: GrantRow): Grant =>
  until === null ? grant : { ...grant, until }
