/** Errors of the protocol, by the SDK's names. */
type Reason = 'MethodNotFound' | 'UnsupportedProtocolVersion' | 'MissingRequiredClientCapability'

/** Whether a server answered a request with an error of one of these kinds. */
export async function isRefusal(error: unknown, ...reasons: readonly Reason[]): Promise<boolean> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
  return (
    error instanceof ProtocolError && reasons.some((one) => Number(ProtocolErrorCode[one]) === error.code)
  )
}
