import type { LongResult } from '../../../tools/ports/results.ts'

/** A row of `results`. */
export interface ResultRow extends Omit<LongResult, 'pageSize' | 'outside'> {
  readonly page_size: number
  readonly outside: string | null
}

export const toResult = ({ page_size: pageSize, outside, ...row }: ResultRow): LongResult => ({
  ...row,
  pageSize,
  ...(outside === null ? {} : { outside }),
})
