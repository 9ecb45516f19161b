/**
 * How Node is started for tests. They call most functions a few times: to optimize each as early as V8 usually does takes longer than it
 * saves, a sixth of the start of a server. A flag of Node 20.
 */
export const lateOptimizing: readonly string[] = process.versions.node.startsWith('20.')
  ? ['--interrupt-budget=1000000']
  : []

/** How those that run tests are started, too: four share two processors, so that a collection of garbage by several threads delays others. */
export const forWorkers: readonly string[] = [
  ...lateOptimizing,
  '--wasm-tiering-budget=100000000',
  '--single-threaded-gc',
]
