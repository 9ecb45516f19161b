import type { Entry, NewEntry, EntryId, RoomName } from '../../words/entry.ts'
import type { PersonId } from '../../words/person.ts'
import type { Log } from '../../base/environment.ts'
import type { CallerContext } from '../toolbox/run-tool.ts'
import {
  ArgumentError,
  chatModel,
  type ChatMessage,
  type ChatModel,
  type PermissionProvider,
  type ToolContext,
  type Workspace,
  OUTPUT_LIMITS,
  type ToolLimits,
} from '../../tools/index.ts'
import { WorkspaceError } from '../../words/errors.ts'

export interface ProgramContext {
  /** Files and commands; by default each use is an error that the model reads. */
  readonly workspace?: Workspace
  /** A name for permission requests; default: `program`. */
  readonly caller?: string
  /** Default: `program`. */
  readonly room?: string
  /** Limits of each call; default: 60 s, and 262,144 characters of a result. */
  readonly limits?: ToolLimits
  /** Called with each message that a tool sends to people. */
  readonly addMessage?: (entry: NewEntry) => void
  /** Receives errors of tools. */
  readonly log?: Log
}

export interface ProgramChat {
  /** Default: none. */
  readonly messages?: readonly ChatMessage[]
  /** The calling model. Tools cannot send requests to a model given only by name. */
  readonly model?: ChatModel | string
}

export const DEFAULT_LIMITS: ToolLimits = { timeoutMs: 60_000, ...OUTPUT_LIMITS }

export const NO_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} }

export function contextOf(
  { workspace = NO_WORKSPACE, caller = 'program', room = 'program', addMessage }: ProgramContext,
  permissions: PermissionProvider,
  chat: ProgramChat,
): CallerContext {
  const name = room as RoomName
  const person = { id: caller as PersonId, name: caller, admin: false, guest: false }
  let entries = 0
  return {
    room: name,
    requester: { person, role: 'owner' },
    chat: viewOf(chat),
    workspace,
    permissions,
    async addMessage(draft): Promise<Entry> {
      addMessage?.(draft)
      return { ...draft, id: String((entries += 1)) as EntryId, at: Date.now(), room: name }
    },
  }
}

const refuse = (): Promise<never> =>
  Promise.reject(new WorkspaceError('this program gives its tools no files and no commands'))

const NO_WORKSPACE: Workspace = {
  readText: refuse,
  readPicture: refuse,
  checkDirectory: refuse,
  checkChange: refuse,
  changeText: refuse,
  findFiles: refuse,
  searchText: refuse,
  placeOf: async () => undefined,
  run: refuse,
}

/** Reads the messages at each use, because the list may grow. */
const viewOf = (chat: ProgramChat): ToolContext['chat'] => ({
  ...(chat.model === undefined ? {} : { model: askable(chat.model) }),
  get messages() {
    return chat.messages ?? []
  },
})

const askable = (model: ChatModel | string): ChatModel =>
  typeof model === 'string'
    ? chatModel(model, () => Promise.reject(new ArgumentError(NO_MODEL)))
    : chatModel(model.name, (messages, signal) => model.ask(messages, signal))

const NO_MODEL =
  'this program gives its tools only the name of the model; as chat.model it may give { name, ask }'
