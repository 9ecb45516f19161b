/** Tokens of a text that nobody has counted yet: fewer than any real text has, so that too much is read. */
export const estimateTokens = (text: string): number => Buffer.byteLength(text) / 8
