import { failed, type SubTurns, type ToolContext, type ToolResult } from '../tool.ts'

/** Runs something with the sub-turns of the caller's turn, or says why there are none. */
export async function withSubTurns(
  tool: string,
  { turn }: ToolContext,
  run: (subTurns: SubTurns) => Promise<ToolResult>,
): Promise<ToolResult> {
  if (!turn) return failed(`${tool}: only a model in its turn can start a side turn`)
  return await run(turn.subTurns)
}
