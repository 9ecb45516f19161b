import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { launchUnconfined, type LaunchMcp } from '../../adapters/mcp/client/launch.ts'
import { covered, inheritedDescriptors } from '../../adapters/sandbox/inherited.ts'
import { launchSpeaking } from '../../adapters/sandbox/launch.ts'
import { probeSandbox } from '../../adapters/sandbox/probe.ts'
import type { Config } from '../../config/config.ts'

/**
 * Starts the servers that are to be in the sandbox there, in the directory that the config names, else in one of their own
 * below the data directory. One that cannot have a sandbox is not started.
 */
export const createLaunch =
  (now: () => Pick<Config, 'sandbox' | 'dataDir'>): LaunchMcp =>
  async (reach, name) => {
    if (reach.sandbox === undefined) return await launchUnconfined(reach, name)
    const { sandbox, dataDir } = now()
    if (sandbox.mode === 'none') throw new Error('it is to run in the sandbox, and [sandbox] mode is "none"')
    const state = await probeSandbox()
    if (!state.works) throw new Error(`it is to run in the sandbox: ${state.reason}`)
    const workspace = await directoryFor(reach.cwd ?? join(dataDir, 'mcp', name))
    const limits = { memoryBytes: sandbox.memory_mb * 1024 * 1024, processes: 0, fileBytes: Infinity }
    const network = reach.sandbox === 'network'
    const box = { workspace, cwd: workspace, readOnly: false, network, limits }
    const launch = await launchSpeaking(reach.command, box, state.strength, reach.env)
    const places = covered(['pipe', launch.filter ?? 'ignore'], inheritedDescriptors())
    return { ...launch, descriptors: places.map((place) => (place === 'pipe' ? 'our life' : place)) }
  }

/** Only a directory of our own is made. */
async function directoryFor(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  return await realpath(path)
}
