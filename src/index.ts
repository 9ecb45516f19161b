/**
 * The exports of `import … from 'sshawl'`: all of `sshawl/wrap`, the providers of models, and workspaces. See
 * docs/embedding.md. Importing it starts no server, child process or timer.
 */
export * from './wrap.ts'
export { createModel, type ReachedModel } from './models/index.ts'
export { openWorkspace } from './sandbox/index.ts'
