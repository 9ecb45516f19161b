/** One person's screen and keyboard. Knows rooms by its ports only, and no ssh. */
export { nextText, statusRow } from './drawing/status-line.ts'
export { type RepliesParts, createReplies } from './drawing/streamed-reply.ts'
export type { DrawingStyle } from './drawing/theme.ts'
export { KEY_HELP } from './input/keys.ts'
export { type LazyMarkdown, createLazyMarkdown } from './markdown/highlight.ts'
export type {
  ClientHandler,
  ExecPipe,
  OfferedKey,
  RoomFooter,
  RunningWork,
  SavedInput,
  Screen,
  SessionHost,
  SessionStatus,
  Terminal,
} from './ports.ts'
export { runSession } from './session.ts'
export type { FrameTimers } from './views/frames.ts'
export { isAnswer } from './views/pending-calls.ts'
export { type SharedBySessions, createShared } from './views/view.ts'
export { sessionZone } from './views/viewer.ts'
