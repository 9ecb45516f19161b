/** What is sent is no JSON: JSON-RPC 2.0, section 5.1 (jsonrpc.org). */
export const PARSE_ERROR = -32_700

/** It is no request, or cannot be one now. */
export const INVALID_REQUEST = -32_600

/** A request that is right, and is not served: the first of the codes that JSON-RPC leaves to servers. */
export const REFUSED = -32_000
