/** Prompts of layers under an exact budget, and tools in scope. Must not know rooms, servers or storage. */
export { Calibrations, type CountedRequest, calibrationKey } from './calibration.ts'
export { promptBudget } from './compose-prompt.ts'
export { CONVERSATION_KINDS, MAX_HISTORY_ROWS, callKey, groupsOfCalls, textOfGroup } from './history.ts'
export {
  CHECKPOINT_KEY,
  MAX_VALUE_CHARS,
  OWNED_KEYS,
  SUMMARIZER_KEY,
  checkKey,
  checkPlace,
  isKey,
  toStorable,
} from './keys.ts'
export {
  CAREFUL_FRAMING,
  EXACT_FRAMING,
  type Framing,
  type Lacks,
  type ModelSettings,
} from './model-settings.ts'
export { composePrompt, openComposer } from './open-composer.ts'
export {
  ALL_MODELS,
  type Calibration,
  type CalibrationStore,
  type Composer,
  type HistoryStore,
  type HookName,
  type HookOutcome,
  type HookSpeech,
  type InstructionStore,
  type ScriptStore,
  type StoredInstruction,
  type StoredScript,
  type StoredSummary,
  type SummaryStore,
  WrapError,
  isOverBudget,
} from './ports.ts'
export {
  BREAK,
  type BudgetReport,
  type LayerReport,
  type Prompt,
  type PromptRequest,
  type PromptTool,
  type ToolDefinition,
  countedPrompt,
  systemAndUser,
  toRequest,
  userContent,
  withoutAskersMemory,
} from './prompt.ts'
export type {
  CatalogueTool,
  HistoryRow,
  KeptTool,
  PresentParticipant,
  RoomSummary,
  Snapshot,
  Summary,
  ToolsInTurn,
} from './snapshot.ts'
