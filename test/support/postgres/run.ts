import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { stopServer } from './server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory for the PostgreSQL server of this run, which the first test that needs it starts. */
    readonly postgresDir: string
  }
}

/** Makes the directory, and stops at the end what was started in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-postgres-'))
  await chmod(dir, 0o755)
  project.provide('postgresDir', dir)
  return async () => {
    if (existsSync(join(dir, 'data'))) await stopServer(dir)
    await rm(dir, { recursive: true, force: true })
  }
}
