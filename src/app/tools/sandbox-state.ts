import { probeSandbox } from '../../adapters/sandbox/probe.ts'
import type { Config } from '../../config/config.ts'

/** Why commands cannot run, where they cannot. Never rejects. */
export interface CommandsState {
  readonly noCommands?: string
}

/** Tries whether commands can run with this config. */
export async function commandsIn({ sandbox }: Pick<Config, 'sandbox'>): Promise<CommandsState> {
  if (sandbox.mode === 'none') return {}
  const state = await probeSandbox()
  return state.works ? {} : { noCommands: state.reason }
}
