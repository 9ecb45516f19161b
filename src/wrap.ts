/**
 * The exports of `import … from 'sshawl/wrap'`: prompts under a budget, scopes, tools, toolboxes and chats,
 * for programs. See docs/embedding.md. It may import base, words, tools and wrap only. Importing it starts no
 * child process or timer.
 */
export {
  composePrompt,
  openComposer,
  EXACT_FRAMING,
  CAREFUL_FRAMING,
  type Framing,
  WrapError,
  type Composer,
  type Prompt,
  type PromptRequest,
  toRequest,
  type ToolDefinition,
  type CatalogueTool,
  type Snapshot,
} from './wrap/index.ts'
export {
  composeLayers,
  type LayerView,
  type OfferedTool,
  type ProgramLayer,
  createSnapshot,
  type SnapshotOptions,
  priceCatalogue,
  type PricedTool,
  callTool,
  createContext,
  type ContextOptions,
  ChatError,
  createChat,
  type Answer,
  type Chat,
  type ChatOptions,
  type ProgramChat,
  type ProgramContext,
  type ChatEvents,
  createToolbox,
  resolveScope,
  type ProgramToolbox,
  type ToolboxOptions,
} from './wrap/embedding/index.ts'
export type { Log } from './base/environment.ts'
export type { Json, JsonObject, JsonSchema } from './base/json.ts'
export { createTokenCounters, type TokenCounters } from './wrap/tokens/index.ts'
export { readToolFiles, type ToolFiles, type ToolFileProblem } from './tools/wrapped/index.ts'
export type { HiddenTool, Resolution } from './wrap/scope/index.ts'
export {
  type ToolCall,
  executeTools,
  type ExecutionContext,
  type Toolbox,
  type ToolReply,
} from './wrap/toolbox/index.ts'
export {
  ArgumentError,
  type ChatMessage,
  type ChatModel,
  type ChatView,
  type ModelAnswer,
  type ToolMessage,
  defineTool,
  type ToolSpec,
  type ToolLimits,
  denyAll,
  type PlainParameter,
  type PlainParameters,
  type PlainToolSpec,
  type Workspace,
  type Denial,
  type PermissionProvider,
  type PermissionRequest,
  type ToolContext,
  type Asked,
  type Question,
  type Tool,
} from './tools/index.ts'
export { WORKSPACE_TOOLS } from './tools/builtin/index.ts'
export { WorkspaceError } from './words/errors.ts'
export type { Access } from './words/tool-words.ts'
export { failed, ok, type ToolResult } from './tools/results/index.ts'
export {
  ModelError,
  type ModelRefusal,
  type LanguageModel,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  type RequestMessage,
  type Thought,
} from './wrap/loop/index.ts'
