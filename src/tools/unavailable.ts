import { failed, type Tool } from './tool.ts'

/**
 * A tool that cannot run here: it is listed with the reason and offered to no model, and so is all that is built on it.
 * A call of it fails with the reason.
 */
export const unavailable = (tool: Tool, reason: string): Tool => ({
  ...tool,
  unavailable: reason,
  run: async () => failed(`${tool.id}: ${reason}`),
})
