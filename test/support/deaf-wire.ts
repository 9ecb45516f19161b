import type { Wire } from '../../src/cluster/stores.ts'

/** Other servers hear nothing, and say nothing. */
export const DEAF_WIRE: Wire = {
  maxBytes: 1000,
  send() {},
  hear: () => () => {},
  isUp: () => false,
  async [Symbol.asyncDispose]() {},
}
