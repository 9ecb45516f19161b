import type { ModelStage } from '../stage.ts'

/** How often the lobby has read that alice's agent cancelled its call of the model. */
export async function cancelledTurns(stage: ModelStage): Promise<number> {
  const { stdout } = await stage.as('alice', ['history', 'lobby'])
  return stdout.split("@qwen's turn for alice was stopped: the call was cancelled").length - 1
}
