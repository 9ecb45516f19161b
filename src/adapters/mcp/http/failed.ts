/** An error of JSON-RPC that belongs to no request, with a status of HTTP. */
export const failed = (status: number, message: string, code = -32_000): Response =>
  Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status })
