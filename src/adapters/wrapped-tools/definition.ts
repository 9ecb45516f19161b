import type { Access } from '../../chat/tool-words.ts'
import type { Positions } from './positions.ts'

/** Something wrong or odd in a `.tool` file. */
export interface ToolFileProblem {
  readonly file: string
  /** 1-based. */
  readonly line: number
  readonly message: string
}

/** A file that is left out because another one comes first: `by`, of an earlier directory. */
export interface Replaced {
  readonly file: string
  readonly by: string
}

/** What a value may be. */
export type ValueType =
  | { readonly type: 'string' | 'number' | 'integer' | 'boolean' }
  | { readonly type: 'array'; readonly items: ValueType }
  | { readonly type: 'object'; readonly description: string; readonly properties: readonly Parameter[] }

/** A parameter, or a property of an object. */
export interface Parameter {
  readonly name: string
  readonly type: ValueType
  readonly required: boolean
  readonly description: string
}

/** A `.tool` file that can be used, as far as the file alone can tell. */
export interface Definition {
  readonly file: string
  /** The line of `@name`, for problems that show only when files meet. */
  readonly line: number
  readonly name: string
  readonly wrapped: string
  readonly title: string
  readonly description: string
  /** True for a file of `@name` and `@wrapped` alone: only this is surely meant as an alias. */
  readonly bare: boolean
  /** Absent for an alias: the same tool under a second name. */
  readonly wrapper?: Wrapper
}

/** What makes a file more than an alias. */
export interface Wrapper {
  /** The template's words; null without `@command`. */
  readonly words: readonly string[] | null
  readonly parameters: readonly Parameter[]
  /** Absent: the base's. */
  readonly access?: Access
  /** Patterns of arguments that are refused. */
  readonly deny: readonly string[]
  readonly positions: Positions
}

/** A file that was read. */
export type ParsedToolFile =
  | { readonly definition: Definition; readonly warnings: readonly ToolFileProblem[] }
  | { readonly problems: readonly ToolFileProblem[]; readonly warnings: readonly ToolFileProblem[] }
