import { hasProcessLimit, NO_PROCESS_LIMIT, probeSandbox } from '../../sandbox/index.ts'
import type { Config } from '../config/config.ts'

/** Says whether commands can run. */
export interface CommandsState {
  /** The reason why commands cannot run; absent if they can. */
  readonly noCommands?: string
  /**
   * For a server that runs as root: what limits the processes of commands, or a warning that nothing does.
   */
  readonly asRoot?: { readonly cgroups: string } | { readonly warning: string }
}

/** Tests the sandbox with a command. Never rejects. */
export async function commandsIn({ sandbox }: Pick<Config, 'sandbox'>): Promise<CommandsState> {
  if (sandbox.mode === 'none') return {}
  const state = await probeSandbox()
  if (!state.works) return { noCommands: state.reason }
  if (!hasProcessLimit(state.strength)) return { asRoot: { warning: `sandbox: ${NO_PROCESS_LIMIT}` } }
  const { cgroups } = state.strength
  return cgroups === undefined ? {} : { asRoot: { cgroups } }
}
