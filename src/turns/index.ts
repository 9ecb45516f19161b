/** A model at work in a room: queue, turn, bill, hooks, and the rooms' side of prompts and tools. */
export { type CallLimits, withFollowUps } from './after-turn.ts'
export {
  type Charge,
  type ChargeStore,
  type CheckQuotas,
  type Grouping,
  type QuotaLimits,
  type Spender,
  type Spending,
  type UsageQuery,
  type UsageRow,
  createBills,
  createTokenQuotas,
} from './billing.ts'
export { Snapshots, createHistoryCounts } from './gather-snapshot.ts'
export { type HookScripts, createHookScripts } from './hook-scripts.ts'
export { RoomHooks, type RoomHooksParts } from './hooks.ts'
export { InterruptedTurns } from './interrupted-turns.ts'
export { checkpointOf } from './key-values.ts'
export { ModelFactsTable } from './model-facts.ts'
export { type UsageSum, listModels, sumsByKey, total } from './model-list.ts'
export { type PersonaLimits, type PersonaStore, Personas, type StoredPersona } from './personas.ts'
export type { SentStep, TurnRecord, TurnStore } from './ports.ts'
export type { PictureLimits } from './pictures.ts'
export { createPrepareStep } from './prepare-step.ts'
export { createPreview } from './preview.ts'
export type { QueueLimits, TurnAtWork } from './queue.ts'
export { type OpenToolbox, createToolboxes } from './room-toolbox.ts'
export { todoTools } from './room-tools/todo.ts'
export { type TurnLimits, createRunTurn } from './run-turn.ts'
export { type FindScopedTools, createScopedTools, refusedParameter } from './scoped-tools.ts'
export type { SideTurnLimits } from './side-turns.ts'
export type { ListedTool, ToolList } from './tool-list.ts'
export { ToolRuns } from './tool-runs.ts'
export { type SentRequest, TurnLog, nothingSent, requestsOf } from './turn-log.ts'
export { type Mention, type RunningTurn, Turns } from './turns.ts'
export { createWrittenCallNotice } from './wrong-calls.ts'
