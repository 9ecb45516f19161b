import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import type { Definition } from './definition.ts'

/** Where commands find their programs, as adapters/sandbox/launch.ts tells them. */
const PROGRAM_DIRS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin']

/** The programs of these definitions' templates that this machine does not have. A path is taken as it is. */
export async function missingPrograms(definitions: readonly Definition[]): Promise<ReadonlySet<string>> {
  const programs = new Set(definitions.flatMap(({ wrapper }) => wrapper?.words?.[0] ?? []))
  const found = await Promise.all([...programs].map(isThere))
  return new Set([...programs].filter((_, index) => !found[index]))
}

async function isThere(program: string): Promise<boolean> {
  if (program.includes('/')) return true
  const tries = await Promise.allSettled(
    PROGRAM_DIRS.map((dir) => access(join(dir, program), constants.X_OK)),
  )
  return tries.some(({ status }) => status === 'fulfilled')
}
