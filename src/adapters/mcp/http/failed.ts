import { REFUSED } from '../server/error-codes.ts'

/** An error of JSON-RPC that belongs to no request, with a status of HTTP. */
export const failed = (status: number, message: string, code = REFUSED): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
