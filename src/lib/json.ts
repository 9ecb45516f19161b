/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema (draft 2020-12 unless `$schema` says otherwise), always an object at the top. */
export type JsonSchema = JsonObject
