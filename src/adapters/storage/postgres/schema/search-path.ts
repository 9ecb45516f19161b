/** The names in a search_path as PostgreSQL shows it: one without quotation marks is in small letters, whatever it looks like. */
export const namesIn = (path: string): readonly string[] =>
  [...path.matchAll(/"((?:[^"]|"")*)"|[^\s,"]+/g)].map(
    ([whole, quoted]) => quoted?.replaceAll('""', '"') ?? whole.toLowerCase(),
  )
