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

/** What a program gives its tools beside permissions. Every part may be left out. */
export interface ProgramContext {
  /** The files and commands that tools may reach; without it each use of one is an error that the model reads. */
  readonly workspace?: Workspace
  /** Who is asked for, in permission requests: a name; `program` when absent. */
  readonly caller?: string
  /** What `ToolContext.room` is; `program` when absent. */
  readonly room?: string
  /** Of each call: 60 s, and 262,144 characters of a result when absent. */
  readonly limits?: ToolLimits
  /** Is told what a tool tells people. */
  readonly addMessage?: (entry: NewEntry) => void
  /** Is told what tools throw; nobody when absent. */
  readonly log?: Log
}

/** What a program's tools see of a conversation. */
export interface ProgramChat {
  /** None when absent. */
  readonly messages?: readonly ChatMessage[]
  /** The model that calls, or only its name: then no tool can ask it. */
  readonly model?: ChatModel | string
}

/** The limits of a call for a program that sets none. */
export const DEFAULT_LIMITS: ToolLimits = { timeoutMs: 60_000, ...OUTPUT_LIMITS }

/** For a program without a log. */
export const NO_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** The context of a program's tools, whatever the call. */
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

/** The messages are read when they are asked for: a program's list may grow. */
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
