/**
 * The exports of `import … from 'sshawl'`: tools, toolboxes, chats, scopes and prompts for programs. See
 * docs/embedding.md. Importing it starts no server, child process or timer.
 */
export { createModel, type ReachedModel } from './models/providers.ts'
export { composePrompt, openComposer } from './wrap/open-composer.ts'
export { openWorkspace } from './sandbox/open-workspace.ts'
export { callTool, createContext, type ContextOptions } from './wrap/embedding/call-tool.ts'
export { ChatError, createChat, type Answer, type Chat, type ChatOptions } from './wrap/embedding/chat.ts'
export type { ProgramChat, ProgramContext } from './wrap/embedding/context.ts'
export type { ChatEvents } from './wrap/embedding/requested-calls.ts'
export {
  createToolbox,
  resolveScope,
  type ProgramToolbox,
  type ToolboxOptions,
} from './wrap/embedding/toolbox.ts'
export type { Json, JsonObject, JsonSchema } from './base/json.ts'
export { EXACT_FRAMING, CAREFUL_FRAMING, type Framing } from './wrap/model-settings.ts'
export { WrapError, type Composer } from './wrap/ports.ts'
export type { Prompt, ToolDefinition } from './wrap/prompt.ts'
export type { HiddenTool, Resolution } from './wrap/scope/scope.ts'
export type { CatalogueTool, Snapshot } from './wrap/snapshot.ts'
export type { ToolCall } from './wrap/toolbox/tool-call.ts'
export { executeTools, type ExecutionContext, type Toolbox, type ToolReply } from './wrap/toolbox/toolbox.ts'
export { ArgumentError } from './tools/arguments.ts'
export { WORKSPACE_TOOLS } from './tools/builtin/index.ts'
export type { ChatMessage, ChatModel, ChatView, ModelAnswer, ToolMessage } from './tools/context.ts'
export { defineTool, type ToolSpec } from './tools/define-tool.ts'
export type { ToolLimits } from './tools/workspace.ts'
export { denyAll } from './tools/permission.ts'
export type { PlainParameter, PlainParameters, PlainToolSpec } from './tools/define-tool.ts'
export type { Workspace } from './tools/workspace.ts'
export { WorkspaceError } from './words/errors.ts'
export type { Access } from './words/tool-words.ts'
export type { Denial, PermissionProvider, PermissionRequest, ToolContext } from './tools/context.ts'
export { failed, ok, type ToolResult } from './tools/results/result.ts'
export type { Asked, Question, Tool } from './tools/tool.ts'
export { ModelError, type ModelRefusal } from './wrap/loop/model.ts'
export type { LanguageModel, ModelEvent, ModelFacts, ModelRequest, Thought } from './wrap/loop/model.ts'
