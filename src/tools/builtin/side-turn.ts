import { failed, type SideTurns, type ToolContext, type ToolResult } from '../tool.ts'

/** Runs something with the side turns of the caller's turn, or says why there are none. */
export async function sideTurn(
  tool: string,
  { side }: ToolContext,
  run: (side: SideTurns) => Promise<ToolResult>,
): Promise<ToolResult> {
  if (!side) return failed(`${tool}: only a model in its turn can start a side turn`)
  return await run(side)
}
