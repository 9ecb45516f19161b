/** Bytes that the layers may return at least; more where the model's window holds more. */
const MIN_OUTPUT_BYTES = 256 * 1024
/** English has about five bytes a token, runs of one character a hundred and more; quoting may double them. */
const OUTPUT_BYTES_PER_TOKEN = 24

/** Bytes that the layers of a prompt may return. */
export const outputLimit = (target: number): number =>
  Math.max(MIN_OUTPUT_BYTES, target * OUTPUT_BYTES_PER_TOKEN)

/**
 * Bytes of the conversation that the layers are given. Even quoted they stay under the limit, so that no number of
 * messages with few tokens and many bytes can keep a room's models from answering.
 */
export const conversationLimit = (target: number): number => Math.floor(outputLimit(target) / 3)
