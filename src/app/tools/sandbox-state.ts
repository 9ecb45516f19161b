import { hasProcessLimit, NO_PROCESS_LIMIT, probeSandbox } from '../../adapters/sandbox/probe.ts'
import type { Log } from '../../chat/ports.ts'
import type { Config } from '../../config/config.ts'

/** Why commands cannot run, if they cannot. */
export interface CommandsState {
  readonly noCommands?: string
}

/** Tries whether commands can run with this config, and logs what a server that runs as root has. Never rejects. */
export async function commandsIn({ sandbox }: Pick<Config, 'sandbox'>, log: Log): Promise<CommandsState> {
  if (sandbox.mode === 'none') return {}
  const state = await probeSandbox()
  if (!state.works) return { noCommands: state.reason }
  if (!hasProcessLimit(state.strength)) log.warn({}, `sandbox: ${NO_PROCESS_LIMIT}`)
  else if (state.strength.cgroups) log.info({ cgroups: state.strength.cgroups }, 'commands run in cgroups')
  return {}
}
