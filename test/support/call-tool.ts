import type { JsonObject } from '../../src/base/json.ts'
import { callTool as callWithObject } from '../../src/wrap/embedding/call-tool.ts'
import type { ToolContext } from '../../src/tools/context.ts'
import type { ToolResult } from '../../src/tools/results/result.ts'
import type { Tool } from '../../src/tools/tool.ts'

/** Calls a tool as a program does, asking its context's provider first; with any arguments, as they may come from a model. */
export const callTool = (tool: Tool, args: unknown, context: ToolContext): Promise<ToolResult> =>
  callWithObject(tool, args as JsonObject, context)
