import { z } from 'zod'
import type { LongResult, ResultStore } from '../ports.ts'
import { failed, type ToolContext, type ToolResult } from '../tool.ts'

/** How tools are told of a long result; a bare number will do. */
export const fdParameter = z.coerce.string().regex(/^(fd:)?[1-9][0-9]{0,8}$/, 'write it as "fd:3"')

/** Text for that parameter. */
export const fdParameterText = 'The long result, as it was named: "fd:3".'

/** Runs with the long result of that name in the caller's room; without one, says so. */
export async function withResult(
  tool: string,
  results: Pick<ResultStore, 'find'>,
  { room }: ToolContext,
  name: string,
  run: (result: LongResult) => ToolResult | Promise<ToolResult>,
): Promise<ToolResult> {
  const fd = Number(name.replace(/^fd:/, ''))
  const result = await results.find(room, fd)
  if (result) return run(result)
  return failed(
    `${tool}: there is no fd:${fd} in this room; long results are kept for some days, so call the tool again that gave it`,
  )
}
