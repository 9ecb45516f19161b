import type { Entry, NewEntry, EntryId, RoomName } from '../chat/entry.ts'
import type { Log } from '../chat/ports.ts'
import type { PersonId } from '../chat/people/person.ts'
import type { CallerContext } from '../toolbox/run-tool.ts'
import { ArgumentError } from '../tools/arguments.ts'
import {
  chatModel,
  type ChatMessage,
  type ChatModel,
  OUTPUT_LIMITS,
  type ToolLimits,
  type PermissionProvider,
  type ToolContext,
} from '../tools/context.ts'
import { WorkspaceError, type Workspace } from '../tools/workspace.ts'

export interface ProgramContext {
  /** Files and commands; when absent each use is an error that the model reads. */
  readonly workspace?: Workspace
  /** A name for permission requests; `program` when absent. */
  readonly caller?: string
  /** `program` when absent. */
  readonly room?: string
  /** Of each call: 60 s, and 262,144 characters of a result when absent. */
  readonly limits?: ToolLimits
  /** Gets what a tool tells people. */
  readonly addMessage?: (entry: NewEntry) => void
  /** Gets what tools throw. */
  readonly log?: Log
}

export interface ProgramChat {
  /** None when absent. */
  readonly messages?: readonly ChatMessage[]
  /** The model that calls. No tool can ask one that is only a name. */
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
  checkDirectory: refuse,
  checkChange: refuse,
  changeText: refuse,
  findFiles: refuse,
  searchText: refuse,
  placeOf: async () => undefined,
  run: refuse,
}

/** A program's list of messages may grow. */
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
