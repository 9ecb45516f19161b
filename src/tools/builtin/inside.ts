import { WorkspaceError } from '../ports/workspace.ts'
import type { ToolContext } from '../tool.ts'

/** Throws `WorkspaceError` for a path that leads out of the workspace, so that nobody is asked about it in vain. */
export async function refuseOutside(path: string, { workspace }: ToolContext): Promise<void> {
  if (await workspace.contains(path)) return
  const shown = path.length > 200 ? `${path.slice(0, 200)}…` : path
  throw new WorkspaceError(`'${shown}' is outside the workspace; use a path inside it, such as src/main.c`)
}
