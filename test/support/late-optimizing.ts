/**
 * How Node is started for tests. They call most functions a few times: to optimize each as early as V8 usually does takes longer than it
 * saves, a sixth of the start of a server. A flag of Node 20.
 */
export const lateOptimizing: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=1000000']
  : []
