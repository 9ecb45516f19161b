// commands/ declares, parses and runs what people type after a slash and scripts send as `ssh host VERB`;
// `verbs` has the commands by subject. It must not know what a terminal, SSH or the database is.
import type { Person } from '../words/person.ts'
import type { Room } from '../chat/index.ts'
import type { Zone } from '../base/zone.ts'
import type { StyledText } from '../base/text/styled.ts'

/**
 * `here`: the session's room; a script names its room first. `here-or-all`: as `here`, or `ALL_ROOMS`.
 * `optional`: as `here`, but a script may leave the room out. `none`: no room.
 */
export type RoomUse = 'here' | 'here-or-all' | 'optional' | 'none'

/** The word for all rooms of a person. No room can have this name. */
export const ALL_ROOMS = '-'

/** One positional argument. `room` is a name that only the parser uses. */
export interface ArgumentSpec {
  readonly name: string
  /** For help and the page of all commands: no sentence, no full stop. */
  readonly about: string
  readonly optional?: true
  /** The default word. */
  readonly usual?: string
  /** Only for the last argument. `rest`: the rest of the line, verbatim; `words`: all further words. */
  readonly takes?: 'rest' | 'words'
  /** The only allowed words. Any other word is a usage error. */
  readonly oneOf?: readonly string[]
}

/** A flag: `--json`, or `-n N` if it takes a value. */
export interface FlagSpec {
  readonly name: string
  readonly about: string
  /** The name of the flag's value in the usage line; absent for a switch. */
  readonly value?: string
  /** The flag may be repeated; all values count, not only the last. */
  readonly repeats?: true
  /** A script that uses this flag names no room. */
  readonly insteadOfRoom?: true
  /** No session shows or completes this flag. */
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

/** Takes a command's output, in a session or for a script. */
export interface Output {
  /** Writes a line for people. `text` lacks the last line end, and may have several lines. */
  line(text: string | StyledText): void
  /** Writes text verbatim, for replies that stream. */
  write(text: string): void
  /** Writes a line to standard error, for a script's author and not for readers of its output. */
  warn(text: string): void
  /** To be awaited before each page of a long output: resolves when there is space, or the caller is gone. */
  ready(): Promise<void>
  /** Cells in a line, for drawn output. */
  readonly columns: number
}

export interface SessionControl {
  readonly room: Room
  readonly zone: Zone
  /** Set for a session without a terminal, whose lines a program may write. */
  readonly isPipe?: true
  /** False once the person was removed from the room. */
  isThere(): boolean
  moveTo(room: Room): Promise<void>
  clear(): void
  /** Puts text on the person's clipboard. Returns false without a terminal. */
  copy(text: string): boolean
  quit(): void
}

export interface ScriptControl {
  /**
   * Resolves to the text that the script piped in. `if-ready` does not wait for a pipe without data: it may
   * be a terminal that never ends. Rejects with `Refusal` if the text is too long.
   */
  stdin(wait: 'until-end' | 'if-ready'): Promise<string>
  /** Runs `work` once the command has its exit status, for work that ends the command's own connection. */
  afterwards(work: () => void): void
  /** Speaks MCP on the pipe until its input ends. Absent for an agent. */
  serveMcp?(): Promise<void>
  writeBytes?(data: Uint8Array): Promise<void>
  /** Set for a message that arrives by HTTP POST. */
  readonly posted?: true
  /** The agent whose call this is; absent for `ssh host VERB`. */
  readonly agent?: AgentControl
}

/** An agent, which may be in several rooms. Both reject with `Refusal`: `leave` if it is not in the room. */
export interface AgentControl {
  enter(room: Room): Promise<void>
  leave(room: Room): Promise<void>
}

/** A person in a session, a script (`ssh host VERB`), or an agent, which counts as a script. */
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
  /** Lets a session go on during `work`. Errors are shown as if the command had waited. */
  inBackground(work: Promise<unknown>): void
}

/** The context of a command, typed by its declared arguments and flags. */
export type CommandContext<
  R extends RoomUse,
  A extends readonly ArgumentSpec[] = readonly [],
  F extends readonly FlagSpec[] = readonly [],
> = BaseContext & RoomOf<R> & { readonly args: Arguments<A>; readonly flags: Flags<F> }

export type RoomContext = CommandContext<'here'>

export interface CompletionContext {
  readonly room: Room
  readonly person: Person
  /** The arguments before `word`, as typed. Completion offers none of them again. */
  readonly given: readonly string[]
  /** The typed beginning of the word to complete. */
  readonly word: string
}

/** Completions of an argument or of a flag's value, by its name, in any order. */
type Completers<N extends string, S> = {
  readonly [Name in N]?: (where: CompletionContext, services: S) => Choices
}
type Choices = Promise<readonly string[]> | readonly string[]

interface Facts {
  readonly name: string
  /** Other names of the command, which completion and the lists of help leave out. */
  readonly aliases?: readonly string[]
  /** Set if the command protects somebody or ends something: it may exceed the daily byte quota. */
  readonly allowedOverQuota?: true
  /** Set if the session shows the command's words anyway, so that it does not echo the line. */
  readonly showsWords?: true
  /** Set if the command only ends something or shows constant text, so that it needs no other server. */
  readonly allowedWhenCutOff?: true
  readonly summary: string
  /** A sentence for the page of all commands, if a script gets something else than a session. */
  readonly fromScript?: string
}

interface ManagerRight<Args> {
  /** Completes "only the owner of ROOM, an op or an admin can …": the runner refuses all others. */
  readonly manage: string
  /** True if a use with these arguments needs the right. If absent, all uses do. */
  when?(args: Args): boolean
}

interface Note {
  /** A sentence for the page of all commands, beside the roles. The command itself checks it. */
  readonly note: string
}

/** One verb as its file declares it. `services`: the parts of the server that it uses. */
export interface CommandDefinition<
  R extends RoomUse,
  A extends readonly ArgumentSpec[],
  F extends readonly FlagSpec[],
  S = undefined,
> extends Facts {
  readonly room?: R
  readonly arguments?: A
  readonly flags?: F
  /** Example words after the verb (and a script's room). Absent if the verb needs no further words. */
  readonly example?: string
  /** Not needed for arguments with `oneOf`. */
  readonly complete?: Completers<(A[number] | F[number])['name'], S>
  /** Only a command in a room can need a manager of it. */
  readonly rights?: R extends 'here' ? ManagerRight<Arguments<A>> | Note : Note
  /**
   * True if a use is refused to muted people, and to everybody in an archived room. If absent, true for uses
   * that need a manager by `rights`; without a `manage` right, for all uses.
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
  /** Returns completions of the argument or flag `name`. */
  complete(name: string, where: CompletionContext): Choices
  /** `room` is set for a command with `here`. */
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

const DEFAULTS = { room: 'none', arguments: [], flags: [], example: '' } as const

/** Declares a verb. Parser tests prove that it gets the arguments that it declares. */
export function defineCommand<
  const R extends RoomUse = 'none',
  const A extends readonly ArgumentSpec[] = readonly [],
  const F extends readonly FlagSpec[] = readonly [],
  S = undefined,
>(definition: CommandDefinition<R, A, F, S>, services = undefined as S): Command {
  const completers = definition.complete as Completers<string, S> | undefined
  return {
    ...DEFAULTS,
    ...definition,
    complete: (name, where) => completers?.[name]?.(where, services) ?? [],
    run: (context) => definition.run(context as never, services),
  }
}

/** Words that do not fit a command. The runner adds its usage line, or that of the command `verb`. */
export class Misuse extends Error {
  override readonly name = 'Misuse'
  readonly verb: string | undefined
  constructor(problem: string, verb?: string) {
    super(problem)
    this.verb = verb
  }
}
