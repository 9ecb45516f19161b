import { access, constants, stat } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { errorCode } from '../../../lib/errors.ts'
import type { McpByCommand } from '../config.ts'

/** A child process as it is to be started. */
export interface McpLaunch {
  readonly file: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
  /** What it has as descriptors 3 and further: one that ends when we do, nothing, or these bytes. */
  readonly descriptors: readonly ('our life' | 'ignore' | Uint8Array)[]
}

/** Makes the command of the server with this name ready. Rejects with an `Error` whose message ends a sentence. */
export type LaunchMcp = (reach: McpByCommand, name: string) => Promise<McpLaunch>

/**
 * Becomes the command, beside a shell that ends its process group when we are gone, however that happened: a server that
 * does not mind the end of its input would be left.
 */
const WITH_US =
  'unset PWD OLDPWD SHLVL _; (read -r _ <&3; kill -KILL 0) >/dev/null 2>&1 & exec 3<&-; exec "$@"'

/** A command with all rights that we have. */
export const launchUnconfined: LaunchMcp = async (reach) => {
  const { command, env, cwd } = reach
  await needProgram(reach)
  return {
    file: '/bin/sh',
    args: ['-c', WITH_US, 'sh', ...command],
    env,
    cwd,
    descriptors: ['our life'],
  }
}

/** The shell would say it in words of its own. */
async function needProgram({ command: [file = ''], env, cwd = '.' }: McpByCommand): Promise<void> {
  const dirs = file.includes('/') ? [''] : (env['PATH'] ?? '').split(delimiter)
  const reasons = await Promise.all(dirs.map((dir) => whyNot(resolve(cwd, join(dir, file)))))
  if (reasons.includes(undefined)) return
  const why = reasons.find((reason) => reason !== 'ENOENT') ?? 'ENOENT'
  throw new Error(`${file} could not be started (${why})`)
}

async function whyNot(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile() ? undefined : 'EACCES'
  } catch (error) {
    return errorCode(error) ?? 'ENOENT'
  }
}
