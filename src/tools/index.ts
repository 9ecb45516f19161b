/** What a tool is, and which there are: built-in ones, `.tool` files, modules. Knows no prompt and no room. */
export { ArgumentError } from './arguments.ts'
export {
  type CallingTurn,
  type ChatMessage,
  type ChatModel,
  type ChatView,
  type Denial,
  type ModelAnswer,
  type PermissionProvider,
  type PermissionRequest,
  type SubTurnRequest,
  type SubTurns,
  type ToolContext,
  type ToolMessage,
  chatModel,
} from './context.ts'
export {
  type PlainParameter,
  type PlainParameters,
  type PlainToolSpec,
  type ToolSpec,
  defineTool,
} from './define-tool.ts'
export type {
  FileAuthor,
  FileVersion,
  KeptFiles,
  ListedFile,
  RoomFileAccess,
  UndoPlan,
  UndoStep,
} from './kept-files.ts'
export type { ConnectedMcp, ConnectedMcpStore, McpPin, McpPinStore } from './mcp-pins.ts'
export { checkMessages } from './messages.ts'
export { CancelledError, cancelReason, denyAll, questionFor, refusalOf, stoppedText } from './permission.ts'
export type { Asked, Question, Tool, ToolSource } from './tool.ts'
export {
  type PageFormat,
  type SearchHit,
  type PageRequest,
  type Web,
  WebError,
  type WebPage,
  type WebSearch,
} from './web.ts'
export {
  type FileQuery,
  type FileSlice,
  type FoundFiles,
  type FoundLine,
  type FoundText,
  OUTPUT_LIMITS,
  type ProcessOutcome,
  type ProcessSpec,
  type TextQuery,
  type ToolLimits,
  type Workspace,
  type Workspaces,
} from './workspace.ts'
