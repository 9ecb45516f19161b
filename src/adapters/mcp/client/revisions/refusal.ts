/** Errors of the protocol, by the SDK's names. */
type Reason = 'MethodNotFound' | 'UnsupportedProtocolVersion' | 'MissingRequiredClientCapability'

/** Whether a server answered a request with an error of one of these kinds. */
export async function isRefusal(error: unknown, ...reasons: readonly Reason[]): Promise<boolean> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
  const codes: readonly number[] = reasons.map((one) => ProtocolErrorCode[one])
  return error instanceof ProtocolError && codes.includes(error.code)
}
