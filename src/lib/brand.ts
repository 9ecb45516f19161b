/**
 * lib/ holds small pure helpers, each a file of its own, that would be useful in any other program.
 *
 * It must not know anything of ours (rooms, people, prompts, commands) nor Node: it gets values and returns values.
 */

declare const brand: unique symbol

/** A string that only its own maker can make: a room name is not a person's name, though both are text. */
export type Brand<Name extends string> = string & { readonly [brand]: Name }
