/**
 * What people type after a slash and scripts send as `ssh host VERB`: this folder declares, parses and runs
 * commands, and `verbs` has them by subject. It must not know what a terminal, SSH or the database is.
 */
import type { Person } from '../chat/people/person.ts'
import type { Room } from '../chat/room.ts'
import type { Zone } from '../lib/zone.ts'
import type { Styled } from '../lib/text/styled.ts'

/**
 * `here`: a session's room, which a script names first; `here-or-all`: both may also name `ALL_ROOMS`;
 * `optional`: a script may leave it out; `none`: no room.
 */
export type RoomUse = 'here' | 'here-or-all' | 'optional' | 'none'

/** Written instead of a room, for all rooms of a person. No room can be called that. */
export const ALL_ROOMS = '-'

/** One positional argument. `room` is a name that only the parser uses. */
export interface ArgumentSpec {
  readonly name: string
  /** For help and the page of all commands: no sentence, no full stop. */
  readonly about: string
  readonly optional?: true
  /** For the last one: `rest` is the rest of the line as it is, `words` are all further words. */
  readonly takes?: 'rest' | 'words'
  /** The only words that it can be; any other is a usage error. */
  readonly oneOf?: readonly string[]
}

/** A flag: `--json`, or `-n N` if it takes a value. */
export interface FlagSpec {
  readonly name: string
  readonly about: string
  /** What its value is called in the usage line; absent for a switch. */
  readonly value?: string
  /** May be given again: all its values count, not only the last. */
  readonly repeats?: true
  /** A session neither shows it nor completes it. */
  readonly forScripts?: true
}

type Spec<N, M> = { readonly name: N; readonly about: string } & M

export const arg = <const N extends string, const M extends Omit<ArgumentSpec, 'name' | 'about'> = object>(
  name: N,
  about: string,
  more?: M,
): Spec<N, M> => ({ name, about, ...more }) as Spec<N, M>

/** An argument that takes the rest of the line as it is. */
export const text = <const N extends string, const M extends Pick<ArgumentSpec, 'optional'> = object>(
  name: N,
  about: string,
  more?: M,
): Spec<N, M & { readonly takes: 'rest' }> =>
  arg(name, about, { takes: 'rest', ...more } as M & { takes: 'rest' })

export const flag = <const N extends string, const M extends Omit<FlagSpec, 'name' | 'about'> = object>(
  name: N,
  about: string,
  more?: M,
): Spec<N, M> => ({ name, about, ...more }) as Spec<N, M>

export const JSON_FLAG = flag('json', 'JSON, for programs')

export type ArgumentValue = string | readonly string[] | undefined
export type FlagValue = boolean | ArgumentValue

/** The words of a line, by the names of what was declared. */
export interface Values {
  readonly args: Readonly<Record<string, ArgumentValue>>
  readonly flags: Readonly<Record<string, FlagValue>>
}

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
type Arguments<A extends readonly ArgumentSpec[]> = {
  readonly [Spec in A[number] as Spec['name']]: ArgumentOf<Spec>
}
type Flags<F extends readonly FlagSpec[]> = { readonly [Spec in F[number] as Spec['name']]: FlagOf<Spec> }

/** Where a command's words go, whether a session or a script runs it. */
export interface Output {
  /** One line for people, without its line end. Later lines of the text are kept as they are. */
  line(text: string | Styled): void
  /** Text as it is, for replies that stream. */
  write(text: string): void
  /** One line on standard error: what a script's author must know, but a reader of the output must not. */
  warn(text: string): void
  /**
   * Resolves when there is space for more, or the caller is gone, and it is this caller's turn. To be
   * awaited before each page of a long output is read.
   */
  ready(): Promise<void>
  /** Cells in a line, for what is drawn. */
  readonly columns: number
}

export interface SessionControl {
  readonly room: Room
  /** Of the times that the person sees. */
  readonly zone: Zone
  /** False once the person was put out of the room. */
  isThere(): boolean
  moveTo(room: Room): Promise<void>
  clear(): void
  quit(): void
}

export interface ScriptControl {
  /**
   * What the script piped in. `if-ready` does not wait for a pipe on which nothing comes at once: it may be
   * a terminal that never ends. Throws `Refusal` if it is too long.
   */
  stdin(wait: 'until-end' | 'if-ready'): Promise<string>
  /** Runs once the command has its status: for work that ends the connection of this command. */
  afterwards(work: () => void): void
  /** Speaks MCP on the pipe until its input ends. Absent for an agent. */
  serveMcp?(): Promise<void>
  /** A POST of HTTP says it. */
  readonly posted?: true
  /** The agent whose call this is; absent for `ssh host VERB`. */
  readonly agent?: AgentControl
}

/** An agent, which is in as many rooms at once as it joins. */
export interface AgentControl {
  /** Rejects with `Refusal`, as `Room.enter` does. */
  enter(room: Room): Promise<void>
  /** Throws `Refusal` if it is not there. */
  leave(room: Room): Promise<void>
}

/** Somebody in a session, `ssh host VERB`, or an agent, which counts as a script. */
export interface Caller {
  readonly person: Person
  readonly out: Output
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
  /** Absent for scripts and agents. */
  readonly session?: SessionControl
  /** Absent in a session. */
  readonly script?: ScriptControl
}

export type SessionCaller = Caller & { readonly session: SessionControl }

export type CallerKind = 'session' | 'script'

export const kindOf = ({ session }: Pick<Caller, 'session'>): CallerKind => (session ? 'session' : 'script')

export interface BaseContext extends Caller {
  /** Lets a session go on meanwhile; errors are shown as if the command had waited. */
  inBackground(work: Promise<unknown>): void
}

/** What a command runs with, typed by what it declared. */
export type CommandContext<
  R extends RoomUse,
  A extends readonly ArgumentSpec[] = readonly [],
  F extends readonly FlagSpec[] = readonly [],
> = BaseContext & RoomOf<R> & { readonly args: Arguments<A>; readonly flags: Flags<F> }

/** A command that runs in a room. */
export type Here = CommandContext<'here'>

export interface Completing {
  readonly room: Room
  readonly person: Person
  /** The command's arguments before that word, as they were typed; none of them is offered again. */
  readonly given: readonly string[]
  /** What of it is there already. */
  readonly word: string
}

/** What could stand for an argument or for the value of a flag, by its name, in any order. */
type Completers<N extends string, S> = {
  readonly [Name in N]?: (where: Completing, services: S) => Choices
}
type Choices = Promise<readonly string[]> | readonly string[]

interface Facts {
  readonly name: string
  /** Other words for it, which help and completion leave out. */
  readonly aliases?: readonly string[]
  /** It protects somebody or ends something: it works over the daily quota of bytes, and is counted too. */
  readonly allowedOverQuota?: true
  /** A session shows its words anyway, so it does not echo the line. */
  readonly showsWords?: true
  /** It only ends something, or shows what never changes: it works while no other server can be reached. */
  readonly allowedWhenCutOff?: true
  readonly summary: string
  /** A sentence for the page of all commands: what a script gets, if it only does its work in a session. */
  readonly fromScript?: string
}

interface ManagerRight<Args> {
  /** Completes "only the owner of ROOM, an op or an admin can …": the runner refuses all others. */
  readonly manage: string
  /** The uses that need the right; all if it is absent. */
  when?(args: Args): boolean
}

interface Note {
  /** A sentence for the page of all commands, beside the roles. The command itself checks it. */
  readonly note: string
}

/** One verb as its file declares it. `services` is all of the server that it works with. */
export interface CommandDefinition<
  R extends RoomUse,
  A extends readonly ArgumentSpec[],
  F extends readonly FlagSpec[],
  S = undefined,
> extends Facts {
  /** `none` if absent. */
  readonly room?: R
  readonly arguments?: A
  readonly flags?: F
  /** What may follow the verb, and a script's room: a line that works. Absent if nothing needs to follow. */
  readonly example?: string
  /** None for arguments with `oneOf`: their words are known. */
  readonly complete?: Completers<(A[number] | F[number])['name'], S>
  /** Only a command in a room can need a manager of it. */
  readonly rights?: R extends 'here' ? ManagerRight<Arguments<A>> | Note : Note
  /**
   * The uses that a muted person has not, and nobody in an archived room. Absent: those for which `rights`
   * wants a manager, else all.
   */
  needsVoice?(args: Arguments<A>): boolean
  /** Throws `Refusal` (exit 1) or `Misuse` (exit 2); resolves to nothing, or to false for exit 1. */
  run(context: CommandContext<R, A, F>, services: S): Promise<void | false>
}

/** One verb as the parser, the runner and help see it. */
export interface Command extends Facts {
  readonly room: RoomUse
  readonly arguments: readonly ArgumentSpec[]
  readonly flags: readonly FlagSpec[]
  readonly example: string
  readonly rights?: ManagerRight<Values['args']> | Note
  needsVoice?(args: Values['args']): boolean
  /** What could stand for the argument or the flag of this name. */
  complete(name: string, where: Completing): Choices
  /** With `here`, there is a room. */
  run(context: BaseContext & Values & { readonly room: Room | undefined }): Promise<void | false>
}

/** Commands that belong together in help and docs/commands.md. `name` is one word that is no command. */
export interface CommandGroup {
  readonly name: string
  readonly about: string
  readonly commands: readonly Command[]
}

export const isCalled = ({ name, aliases = [] }: Pick<Command, 'name' | 'aliases'>, word: string): boolean =>
  name === word || aliases.includes(word)

/** Declares a verb. Parser tests prove that it gets the arguments that it declares. */
export function defineCommand<
  const R extends RoomUse = 'none',
  const A extends readonly ArgumentSpec[] = readonly [],
  const F extends readonly FlagSpec[] = readonly [],
  S = undefined,
>(definition: CommandDefinition<R, A, F, S>, services = undefined as S): Command {
  const completers = definition.complete as Completers<string, S> | undefined
  return {
    ...{ room: 'none' as const, arguments: [], flags: [], example: '' },
    ...definition,
    complete: (name, where) => completers?.[name]?.(where, services) ?? [],
    run: (context) => definition.run(context as never, services),
  }
}

/** Words that do not fit a command. The runner adds the form of it, or of the command called `verb`. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
  readonly verb: string | undefined
  constructor(problem: string, verb?: string) {
    super(problem)
    this.verb = verb
  }
}
