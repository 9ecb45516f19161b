import { z } from 'zod'
import { ArgumentError } from '../arguments.ts'
import type { LongResult, ResultStore } from '../ports/results.ts'
import type { ToolContext } from '../context.ts'

/** Names a long result; a number alone is enough. */
export const fdParameter = z.coerce.string().regex(/^(fd:)?[1-9][0-9]{0,8}$/, 'write it as "fd:3"')

/** Text for that parameter. */
export const FD_PARAMETER_TEXT = 'Such as fd:3.'

/** The long result of that name in the caller's room. Throws `ArgumentError` where there is none. */
export async function findResult(
  results: Pick<ResultStore, 'find'>,
  { room }: ToolContext,
  name: string,
): Promise<LongResult> {
  const fd = Number(name.replace(/^fd:/, ''))
  const result = await results.find(room, fd)
  if (result) return result
  throw new ArgumentError(
    `there is no fd:${fd} in this room; long results are kept for some days, so call the tool again that gave it`,
  )
}
