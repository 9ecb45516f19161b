import { isJsonObject, type Json } from '../../../lib/json.ts'

/** The method of a message that was parsed, if it is one that has any. */
export const methodOf = (body: Json | undefined): Json | undefined =>
  body !== undefined && isJsonObject(body) ? body['method'] : undefined
