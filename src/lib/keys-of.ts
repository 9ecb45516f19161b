/** The keys of a table that is written in the source, in its order. Not for data: the type lists what is written. */
export const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): readonly Key[] =>
  Object.keys(table) as Key[]
