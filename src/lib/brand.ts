declare const brand: unique symbol

/** A string that only its own maker can make: a room name is not a person's name, though both are text. */
export type Brand<Name extends string> = string & { readonly [brand]: Name }
