/** Tools, toolbox and models for a program without server, rooms and turns. Starts nothing by itself. */
export { type ContextOptions, callTool, createContext } from './call-tool.ts'
export { type Answer, type Chat, ChatError, type ChatOptions, createChat } from './chat.ts'
export { type LayerView, type OfferedTool, type ProgramLayer, composeLayers } from './compose-layers.ts'
export { NO_LOG, type ProgramChat, type ProgramContext } from './context.ts'
export { type PricedTool, priceCatalogue } from './price-catalogue.ts'
export type { ChatEvents } from './requested-calls.ts'
export { type SnapshotOptions, createSnapshot } from './snapshot.ts'
export { type ProgramToolbox, type ToolboxOptions, createToolbox, resolveScope } from './toolbox.ts'
