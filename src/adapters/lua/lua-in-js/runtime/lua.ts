/**
 * The values and helpers of the second Lua engine, as its parts see them. Each part in this folder is one
 * function that is sent as text into a bare `vm` context, where it adds to `lua`; so it must stand alone:
 * it may import types, and use nothing but its argument and the JavaScript language.
 */

/** A float whose value is whole, which a JavaScript number alone would not tell from an integer. */
export interface Float {
  readonly whole: number
}

/** A Lua table. Keys are in normal form: a whole float is the integer. Values that are nil are absent. */
export interface Table {
  /** The values of 1, 2, 3, …; the last one is never nil. */
  readonly list: Value[]
  metatable: Table | undefined
  get(key: Value): Value
  /** Any key but nil and NaN. */
  set(key: Value, value: Value): void
  /** The entry after this key, or the first; undefined at the end. Throws for a key that never was there. */
  after(key: Value): readonly [Value, Value] | undefined
}

/** A Lua function; what takes and gives any number of values. */
export interface LuaFunction {
  (...args: Value[]): Value[]
  /** Where it was defined; builtin functions have none. */
  definedAt?: number
}

/**
 * A Lua value. Integers are whole numbers, or bigints beyond 2^53; floats are numbers with a fraction,
 * infinities, NaN, or `Float`. Strings have a character for each byte. nil is undefined.
 */
export type Value = undefined | boolean | number | bigint | string | Float | Table | LuaFunction

/** A place in a chunk: the chunk's name, a line, and what the operands there are called. */
export interface Place {
  readonly chunk: string
  readonly line: number
  readonly left: string
  readonly right: string
}

/** Lua numbers. */
export interface Numbers {
  isNumber(value: Value): value is number | bigint | Float
  isFloat(value: Value): boolean
  /** The float of this value. */
  float(value: number): number | Float
  /** The integer of this value, wrapped around to 64 bits. */
  integer(value: bigint): number | bigint
  /** As JavaScript has it: exact in comparisons, inexact in sums. */
  plain(value: number | bigint | Float): number | bigint
  /** A number, or the number that a text says, in Lua's syntax. */
  from(value: Value): number | bigint | Float | undefined
  /** The integer that this value is exactly, if it is one. */
  whole(value: Value): number | bigint | undefined
  toText(value: number | bigint | Float): string
  /** toFixed and toExponential, but of two numbers that are as near the one with the even digit, as in C. */
  fixed(value: number, digits: number): string
  scientific(value: number, digits: number): string
  /** As C's %g. */
  general(value: number, digits: number, alternate: boolean): string
}

/** The state of one context. */
export interface Lua {
  Table: new () => Table
  Float: new (whole: number) => Float
  /** What a script raised. */
  Raised: new (value: Value) => Error & { readonly value: Value }
  /** What no script can catch. */
  Limit: new (what: 'memory' | 'time') => Error & { readonly what: 'memory' | 'time' }
  numbers: Numbers
  /** All places of all chunks; the first is nowhere, for what the library itself calls. */
  places: Place[]
  /** The place of each call that is running, outermost first; only the first `depth` count. */
  calls: number[]
  depth: number
  stringMeta: Table
  /** Functions that the host made: chunks that need no compiling. */
  answers: WeakSet<object>

  type(value: Value): string
  metamethod(value: Value, name: string): Value
  truth(value: Value): boolean
  toText(value: Value): string
  /** Calls from the library. */
  invoke(f: Value, ...args: Value[]): Value[]
  index(place: number, base: Value, key: Value): Value
  store(place: number, base: Value, key: Value, value: Value): void
  equal(a: Value, b: Value): boolean
  less(place: number, a: Value, b: Value): boolean
  length(place: number, value: Value): Value
  arithmetic(name: string, place: number, a: Value, b: Value): Value
  /** `chunk:line: ` of the function at this level (1: the one that called the library), or nothing. */
  where(level: number): string
  /** Raises a message with the place of the running call. */
  fail(message: string): never
  /** Raises a message with this place. */
  failAt(place: number, message: string): never
  /** `bad argument #n to 'f' (…)`, with the name that the caller used. */
  badArgument(index: number, message: string): never
  /** Counts a step; past the limit of time the composition ends. */
  tick(): void
  /** Accounts for memory; past the limit the composition ends. */
  charge(bytes: number): void
  /** Arguments, checked and counted from 1. */
  check: {
    text(args: readonly Value[], index: number): string
    integer(args: readonly Value[], index: number, otherwise?: number): number
    /** Any number, as a float. */
    number(args: readonly Value[], index: number): number
    table(args: readonly Value[], index: number): Table
    any(args: readonly Value[], index: number): Value
  }
  /** A library: a table of functions. */
  library(functions: Readonly<Record<string, (...args: Value[]) => Value[]>>): Table
  /** What generated code calls: `h_x` of the rewritten text is `x` here. */
  helpers: Record<string, unknown>
  /** Turns Lua text into its chunk. Raises a string as `load` gives it. */
  compile(source: string, chunkName: string, globals: Value): LuaFunction
  globals: Table
}
