import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NO_LOG } from '../../src/wrap/embedding/context.ts'
import { probeSandbox } from '../../src/sandbox/probe.ts'
import { createWorkspaces, type WorkspacesOptions } from '../../src/sandbox/workspaces.ts'
import { paths } from '../../src/base/paths.ts'

/** Whether commands can run in the sandbox here; where they cannot, the tests of it are skipped loudly. */
export const sandbox = await probeSandbox()
if (!sandbox.works) console.warn(`SKIPPED: commands in the sandbox: ${sandbox.reason}`)

/** The workspace of one room in a directory of its own, gone with all its files when it is disposed of. */
export type OneWorkspace = Awaited<ReturnType<typeof openWorkspace>>

/** Opens one; without a sandbox unless it is asked for. */
export async function openWorkspace(options: Partial<WorkspacesOptions> = {}) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'sshawl-workspace-')))
  const workspaces = createWorkspaces({
    root,
    searchEntry: paths.fileSearch,
    mode: 'none',
    log: NO_LOG,
    ...options,
  })
  const workspace = workspaces.of('lobby')
  await workspace.placeOf('.')
  return {
    workspace,
    files: join(root, 'lobby', 'files'),
    workspaces,
    root,
    async [Symbol.asyncDispose]() {
      await workspaces[Symbol.asyncDispose]()
      await rm(root, { recursive: true })
    },
  }
}
