import type { CatalogueTool } from '../../../prompt/snapshot.ts'
import type { ToolParcel } from './protocol.ts'

/**
 * Keeps the tools that were sent, by hash, and unpacks parcels. The same hash gives the same object every
 * time, so that what was worked out for it once is found again.
 */
export function createToolShelf(): (parcel: ToolParcel) => readonly CatalogueTool[] {
  const shelf = new Map<string, CatalogueTool>()
  return ({ tools, fresh, forget }) => {
    if (forget) shelf.clear()
    for (const [hash, tool] of Object.entries(fresh)) shelf.set(hash, tool)
    return tools.map((hash) => {
      const tool = shelf.get(hash)
      if (!tool) throw new Error(`a tool was named that was never sent: ${hash}`)
      return tool
    })
  }
}
