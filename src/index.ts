/**
 * The exports of `import … from 'sshawl'`: tools, toolboxes, chats, scopes and prompts for programs. See
 * docs/embedding.md. Importing it starts no server, child process or timer.
 */
export { createModel, type ReachedModel } from './adapters/models/index.ts'
export { composePrompt, openComposer } from './app/compose-prompt.ts'
export { openWorkspace } from './app/tools/open-workspace.ts'
export { callTool, createContext, type ContextOptions } from './embedding/call-tool.ts'
export { ChatError, createChat, type Answer, type Chat, type ChatOptions } from './embedding/chat.ts'
export type { ProgramChat, ProgramContext } from './embedding/context.ts'
export type { ChatEvents } from './embedding/requested-calls.ts'
export { createToolbox, resolveScope, type ProgramToolbox, type ToolboxOptions } from './embedding/toolbox.ts'
export type { Json, JsonObject, JsonSchema } from './lib/json.ts'
export { EXACT_FRAMING, CAREFUL_FRAMING, type Framing } from './prompt/model-settings.ts'
export { WrapError, type Composer } from './prompt/ports.ts'
export type { Prompt, ToolDefinition } from './prompt/prompt.ts'
export type { HiddenTool, Resolution } from './prompt/scope.ts'
export type { CatalogueTool, Snapshot } from './prompt/snapshot.ts'
export type { ToolCall } from './toolbox/tool-call.ts'
export { executeTools, type ExecutionContext, type Toolbox, type ToolReply } from './toolbox/toolbox.ts'
export { ArgumentError } from './tools/arguments.ts'
export { WORKSPACE_TOOLS } from './tools/builtin/index.ts'
export type { ChatMessage, ChatModel, ChatView, ModelAnswer, ToolMessage } from './tools/context.ts'
export { defineTool, type ToolSpec } from './tools/define-tool.ts'
export type { ToolLimits } from './tools/context.ts'
export { denyAll } from './tools/permission.ts'
export type { PlainParameter, PlainParameters, PlainToolSpec } from './tools/define-tool.ts'
export { WorkspaceError, type Workspace } from './tools/workspace.ts'
export type { Access } from './chat/tool-words.ts'
export type { Denial, PermissionProvider, PermissionRequest, ToolContext } from './tools/context.ts'
export { failed, ok, type ToolResult } from './tools/result.ts'
export type { Asked, Question, Tool } from './tools/tool.ts'
export { ModelError, type ModelRefusal } from './turns/ports.ts'
export {
  type LanguageModel,
  type ModelEvent,
  type ModelFacts,
  type ModelRequest,
  type Thought,
} from './turns/ports.ts'
