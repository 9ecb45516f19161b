import type { LongResult } from '../../../tools/ports/results.ts'

/** A row of `results`. */
export type ResultRow = Omit<LongResult, 'pageSize'> & { readonly page_size: number }

export const toResult = ({ page_size: pageSize, ...row }: ResultRow): LongResult => ({ ...row, pageSize })
