// What people type after a slash and scripts send as `ssh host VERB`: this folder declares, parses and runs commands,
// and `verbs` has one file for each. It must not know what a terminal, SSH or the database is.
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Caller, SessionControl } from './caller.ts'

/**
 * `here`: a session's room, which a script names first; `here-or-all`: both may also name `ALL_ROOMS`; `optional`: a
 * script may leave it out; `none`: no room.
 */
export type RoomUse = 'here' | 'here-or-all' | 'optional' | 'none'

/** What is written in place of a room, for all rooms of a person. No room can be called that. */
export const ALL_ROOMS = '-'

/** One positional argument. `room` is a name that only the parser uses. */
export interface ArgumentSpec {
  readonly name: string
  /** What it is, for the page of all commands: no sentence, no full stop. */
  readonly about: string
  readonly optional?: true
  /** `rest`: the rest of the line as it is, for text and JSON; `words`: all further words. Only for the last one. */
  readonly takes?: 'rest' | 'words'
  /** The only words that it can be; any other is a usage error. */
  readonly oneOf?: readonly string[]
}

/** A flag: `--json`, or `-n N` where it takes a value. */
export interface FlagSpec {
  readonly name: string
  /** As for an argument. */
  readonly about: string
  /** What its value is called in the usage line; absent for a switch. */
  readonly value?: string
  /** May be given again: all its values count, not only the last. */
  readonly repeats?: true
}

/** The flag that most commands with a list have. */
export const JSON_FLAG = { name: 'json', about: 'JSON, for programs' } as const satisfies FlagSpec

/** What the parser makes of an argument, and of a flag. */
export type ArgumentValue = string | readonly string[] | undefined
export type FlagValue = boolean | ArgumentValue

type Word<A> = A extends { readonly oneOf: readonly (infer W)[] } ? W : string
type ArgumentOf<A> = A extends { readonly takes: 'words' }
  ? readonly string[]
  : A extends { readonly optional: true }
    ? Word<A> | undefined
    : Word<A>
type FlagOf<F> = F extends { readonly repeats: true }
  ? readonly string[]
  : F extends { readonly value: string }
    ? string | undefined
    : boolean
type RoomOf<R> = R extends 'here'
  ? { readonly room: Room }
  : R extends 'optional' | 'here-or-all'
    ? { readonly room: Room | undefined }
    : unknown

/** Arguments by name: a word, a list for `words`, undefined where an optional one was left out. */
type Arguments<A extends readonly ArgumentSpec[]> = {
  readonly [Spec in A[number] as Spec['name']]: ArgumentOf<Spec>
}

/** Flags by name, without dashes: whether a switch was given, the value of another, all values of one that repeats. */
type Flags<F extends readonly FlagSpec[]> = { readonly [Spec in F[number] as Spec['name']]: FlagOf<Spec> }

/** What a command is given to do its work, typed by what it declared. */
export type CommandContext<
  R extends RoomUse,
  A extends readonly ArgumentSpec[] = readonly [],
  F extends readonly FlagSpec[] = readonly [],
> = BaseContext & RoomOf<R> & { readonly args: Arguments<A>; readonly flags: Flags<F> }

/** A caller whose command runs. */
export interface BaseContext extends Caller {
  readonly session?: CommandSession
}

/** The session that a command was typed in, while it runs. */
export interface CommandSession extends SessionControl {
  /** Lets the session go on meanwhile; trouble is told as if the command had waited. */
  inBackground(work: Promise<unknown>): void
}

/** Where a word is to be completed. */
export interface Completing {
  readonly room: Room
  readonly person: Person
  /** The command's arguments before that word, as they were typed; what is among them is not offered again. */
  readonly given: readonly string[]
  /** The name of the argument, or the flag, that the word is for; one with `oneOf` is completed without being asked for. */
  readonly argument: string
}

/** What stands in the file of a verb and does not depend on its arguments. */
interface Facts {
  readonly name: string
  /** Other words for it, which help and completion leave out. */
  readonly aliases?: readonly string[]
  /**
   * It protects somebody or ends something, so it works also for who has used up what they may store in a day; it counts
   * all the same. What it stores itself has another bound.
   */
  readonly protects?: true
  /**
   * It only ends something, or shows what never changes, so it works also while nobody knows what other servers have decided: nothing
   * is stored under its person's name.
   */
  readonly waitsForNothing?: true
  /** One line for `help`. */
  readonly summary: string
  /** What may follow the verb, and a script's room: a line that works. Empty where nothing needs to follow. */
  readonly example: string
  /** For the page of all commands: what a script gets from it, where it only does its work in a session. A sentence. */
  readonly fromScript?: string
  /** What could stand where the cursor is, in any order. */
  complete?(where: Completing): Promise<readonly string[]> | readonly string[]
}

/** Who may use a command, where the command itself does not check that. */
export type Rights<Args> = ManagerRight<Args> | Note

interface ManagerRight<Args> {
  /** Completes "only the owner of ROOM, an op or an admin can …": the runner refuses all others. */
  readonly manage: string
  /** The uses that need the right; all where it is absent. */
  when?(args: Args): boolean
}

interface Note {
  /** A sentence for the page of all commands, which knows the roles: about what else decides. The command itself checks that. */
  readonly note: string
}

/** One verb as its file declares it. */
export interface CommandDefinition<
  R extends RoomUse,
  A extends readonly ArgumentSpec[],
  F extends readonly FlagSpec[],
> extends Facts {
  readonly room: R
  readonly arguments?: A
  readonly flags?: F
  /** Only who runs a command in a room can be asked to manage it. */
  readonly rights?: R extends 'here' ? Rights<Arguments<A>> : Note
  /**
   * Which uses need a voice in the room: an entry, another change or a request of a model may come of them, so nobody who is
   * muted there, or finds it archived, may use them. Absent: those for which `rights` wants a manager, else all.
   */
  needsVoice?(args: Arguments<A>): boolean
  /** Throws `Refusal` (exit 1) or `Misuse` (exit 2); resolves to nothing, or to false for exit 1. */
  run(context: CommandContext<R, A, F>): Promise<void | false>
}

/** One verb as the parser, the runner and help see it, the same in a session (`/tools`) and a script (`ssh host tools`). */
interface CommandWith<R extends RoomUse> extends Facts {
  readonly room: R
  readonly arguments: readonly ArgumentSpec[]
  readonly flags: readonly FlagSpec[]
  readonly rights?: Rights<Values['args']>
  needsVoice?(args: Values['args']): boolean
  run(context: BaseContext & RoomOf<R> & Values): Promise<void | false>
}

/** A command of any use of rooms. */
export type Command = { [R in RoomUse]: CommandWith<R> }[RoomUse]

/** Whether somebody who writes this word means the command. */
export const isCalled = ({ name, aliases = [] }: Pick<Command, 'name' | 'aliases'>, word: string): boolean =>
  name === word || aliases.includes(word)

/** What a line said after its verb. */
export interface Values {
  readonly args: Readonly<Record<string, ArgumentValue>>
  readonly flags: Readonly<Record<string, FlagValue>>
}

/** Declares a verb. That the parser gives it the arguments it declared is for the parser's tests to prove. */
export function defineCommand<
  R extends RoomUse,
  const A extends readonly ArgumentSpec[] = readonly [],
  const F extends readonly FlagSpec[] = readonly [],
>(definition: CommandDefinition<R, A, F>): CommandWith<R> {
  return { arguments: [], flags: [], ...definition }
}
