// Services that the verbs share, and small helpers.
import type { Approvals, GrantStore } from '../../turns/approvals/index.ts'
import type { RoutineStore } from '../../turns/routines/index.ts'
import type { RoomName } from '../../words/entry.ts'
import { Refusal } from '../../words/errors.ts'
import type {
  ByteQuota,
  FollowedRooms,
  EntryLog,
  PeopleStore,
  RoomStore,
  Room,
  Rooms,
  Talks,
} from '../../chat/index.ts'
import type { ActResult, Clients, Keeping, Moderation } from '../../chat/moderation/index.ts'
import type { Invites, Keys, Tokens, People } from '../../chat/people/index.ts'
import type { Person } from '../../words/person.ts'
import type { InputHistory, InvitationNotices, LastSeen, Preferences } from '../../chat/personal/index.ts'
import type { Talk } from '../../chat/talk/index.ts'
import type { Clock } from '../../base/environment.ts'
import { safeJson } from '../../base/json.ts'
import { cleanLine } from '../../base/text/clean-text.ts'
import type { RoomFileAccess, Workspace } from '../../tools/index.ts'
import type { RoomHooks, ToolRuns, ChargeStore, PersonaStore, TurnStore, Turns } from '../../turns/index.ts'
import {
  WrapError,
  type HistoryStore,
  type InstructionStore,
  type ScriptStore,
  type SummaryStore,
} from '../../wrap/index.ts'
import type { Memories } from '../../turns/memory/index.ts'
import type { Routines } from '../../turns/routines/index.ts'
import type { Summaries } from '../../turns/summaries/index.ts'
import {
  defineCommand,
  Misuse,
  type ArgumentSpec,
  type Caller,
  type Command,
  type CommandDefinition,
  type CompletionContext,
  type FlagSpec,
  type RoomContext,
  type RoomUse,
} from '../command.ts'
import type { FindHelp, HelpKey } from '../help.ts'
import type { ProgramMarks, Speech } from '../speech.ts'
import type { McpAdmin } from './mcp-admin.ts'

/** The rules of the config for invite codes. */
export interface InvitePolicy {
  readonly access: 'open' | 'invite' | 'closed'
  readonly invites: 'members' | 'ops' | 'admins'
}

export interface Services {
  readonly rooms: Rooms
  /** Private rooms with a model; `talk` means conversation between people. */
  readonly talks: Talks
  readonly people: People
  readonly preferences: Preferences
  readonly invitations: InvitationNotices
  readonly lastSeen: Pick<LastSeen, 'find'>
  readonly followed: Pick<FollowedRooms, 'news' | 'join' | 'leave'>
  readonly comingIn: {
    readonly invites: Invites
    readonly keys: Keys
    readonly tokens: Tokens
    readonly clients: Pick<Clients, 'everywhere'>
    readonly policy: () => InvitePolicy
  }
  readonly speech: Speech
  readonly talk: Talk
  /** Origins that the config lets notices go to. */
  readonly notifyOrigins: () => readonly string[]
  readonly history: Pick<InputHistory, 'forget'>
  readonly turns: Turns
  readonly runs: ToolRuns
  readonly summaries: Summaries
  readonly routines: Pick<Routines, 'make' | 'remindAgain' | 'list' | 'pause' | 'resume' | 'end' | 'removed'>
  readonly approvals: Approvals
  readonly hooks: Pick<RoomHooks, 'logOf'>
  /** The servers that bring tools. */
  readonly mcp: McpAdmin
  readonly moderation: Moderation
  readonly keeping: Keeping
  readonly memories: Memories
  readonly bytes: Pick<ByteQuota, 'take'>
  /** The files of a room's workspace. */
  readonly filesOf: (room: RoomName) => RoomFileAccess & Pick<Workspace, 'readText' | 'readPicture'>
  readonly clock: Clock
  /** The keys of a session, for help. */
  readonly keys: readonly HelpKey[]
  readonly findHelp: FindHelp
  readonly stores: {
    readonly chat: { readonly rooms: RoomStore; readonly people: PeopleStore; readonly entries: EntryLog }
    readonly prompts: {
      readonly scripts: ScriptStore
      readonly instructions: InstructionStore
      readonly personas: PersonaStore
      readonly summaries: SummaryStore
      readonly history: Pick<HistoryStore, 'following'>
    }
    readonly models: {
      readonly turns: TurnStore
      readonly charges: ChargeStore
      readonly routines: RoutineStore
    }
    readonly tools: { readonly grants: GrantStore }
  }
}

export type Verb = (services: Services) => Command

/** Declares a verb, which becomes a command once it gets its services. */
export const verb =
  <
    const R extends RoomUse = 'none',
    const A extends readonly ArgumentSpec[] = readonly [],
    const F extends readonly FlagSpec[] = readonly [],
  >(
    definition: CommandDefinition<R, A, F, Services>,
  ): Verb =>
  (services) =>
    defineCommand(definition, services)

/** Prints JSON with `--json`, else one or several lines for people. */
export function print(
  { flags, out }: Pick<Caller, 'out'> & { readonly flags: { readonly json: boolean } },
  json: unknown,
  words: string | readonly string[],
): void {
  if (flags.json) return out.line(safeJson(json))
  for (const line of [words].flat()) out.line(line)
}

/** Records a person's change in a room. */
export const tellRoom = async (room: Room, { name }: Person, text: string): Promise<void> =>
  void (await room.record({ kind: 'notice', level: 'info', author: name, text }))

/** Records in the room what the person changed. Also prints it for a script, which does not see the room. */
export async function announce({ room, person, session, out }: RoomContext, text: string): Promise<void> {
  await tellRoom(room, person, text)
  if (!session) out.line(text)
}

/** Prints the notice of an act, unless the caller sees it in the room. */
export function printNotice({ session, out }: Caller, { room, text }: ActResult): void {
  if (session?.room.name !== room) out.line(text)
}

/**
 * Resolves to the text on the line, or to the piped text if the line of a script has none, or only `-`. In a
 * session, `-` is a text. Rejects with `Refusal` if there is no text.
 */
export async function textOrStdin(onLine: string | undefined, { script }: Caller): Promise<string> {
  const text = script && isStdin(onLine) ? await script.stdin('until-end') : onLine
  if (text === undefined) throw new Refusal('there is nothing to say: the message is empty')
  return text
}

/** True if a script pipes the text in instead of this argument. */
export const isStdin = (onLine: string | undefined): boolean => onLine === undefined || onLine.trim() === '-'

/** The marks of a line of this caller; `isPiped` if a script piped in its text. */
export function programMarks({ script, session }: Caller, isPiped: boolean): ProgramMarks {
  const isByProgram = session ? session.isPipe : script?.posted || script?.agent || isPiped
  return { ...(isByProgram && { byProgram: true }), ...(script?.posted && { posted: true }) }
}

/** Returns the value of a flag, from 1 to `most`. Throws `Misuse`. */
export function numberFlag(
  flag: string,
  word: string | undefined,
  { fallback, most }: { readonly fallback: number; readonly most: number },
): number {
  if (word === undefined) return fallback
  const number = /^\d{1,6}$/.test(word) ? Number(word) : 0
  if (number >= 1 && number <= most) return number
  throw new Misuse(`${flag} takes a whole number from 1 to ${most}, such as ${flag} ${fallback}`)
}

/** Returns the number of a list item. Throws `Misuse` with `problem` for any other word. */
export function listedNumber(word: string | undefined, problem: string): number {
  if (word !== undefined && /^\d{1,9}$/.test(word)) return Number(word)
  throw new Misuse(problem)
}

/** Returns the named version of a room's script or summary. Throws `Refusal`. */
export function findVersion<V extends { readonly version: number }>(
  all: readonly V[],
  wanted: string,
  { room, what }: { readonly room: RoomName; readonly what: 'script' | 'summary' },
): V {
  const found = all.find(({ version }) => String(version) === wanted)
  if (found) return found
  throw new Refusal(`${room} has no ${what} version ${wanted.slice(0, 20)}; /${what} versions lists them`)
}

/** Throws `Refusal` for a `WrapError`, else the error itself. */
export function refuseWrap(error: unknown): never {
  if (error instanceof WrapError) throw new Refusal(cleanLine(error.message), { cause: error })
  throw error
}

/** Returns `2026-11-21T09:41:07.000Z` for milliseconds since the epoch. */
export const iso = (at: number): string => new Date(at).toISOString()

/** Returns `2026-11-21 09:41`, in UTC for a script, in the person's time zone in a session. */
export const minuteOf = (at: number, { session }: Pick<Caller, 'session'>): string =>
  iso(session ? session.zone.local(at) : at)
    .slice(0, 16)
    .replace('T', ' ')

/** Returns `2 Dec 2026 22:31 UTC` for a script, `2 Dec 2026 22:31` in the person's time zone in a session. */
export function dateText(at: number, { session }: Pick<Caller, 'session'>): string {
  const date = new Date(session ? session.zone.local(at) : at)
  const month = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' })
  const day = `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`
  return `${day} ${date.toISOString().slice(11, 16)}${session ? '' : ' UTC'}`
}

/** Names of the other people in the room, for completion. */
export const peopleIn = ({ room, person }: CompletionContext): readonly string[] =>
  room.present().flatMap(({ id, name }) => (id === person.id ? [] : name))

/** Names of the other people in the room, then of all others who can be written to. */
export const peopleToReach = async (
  where: CompletionContext,
  { talk }: Pick<Services, 'talk'>,
): Promise<readonly string[]> => {
  const others = await talk.findPerson.beginning(where.word.replace(/^@/, ''))
  return [...peopleIn(where), ...others.flatMap(({ id, name }) => (id === where.person.id ? [] : name))]
}

/** The names of the rooms that somebody can see. */
export const roomNames = async (
  { person }: Pick<CompletionContext, 'person'>,
  { rooms }: Pick<Services, 'rooms'>,
): Promise<readonly RoomName[]> => (await rooms.list(person)).map(({ name }) => name)
