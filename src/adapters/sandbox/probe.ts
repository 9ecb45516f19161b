import { execa } from 'execa'
import { bubblewrapArguments } from './bubblewrap.ts'

/** Whether commands can run in a sandbox on this machine, and if not, why and what to do. */
export type SandboxState =
  { readonly works: true; readonly version: string } | { readonly works: false; readonly reason: string }

/** Tries a real sandbox, around an empty command. Never throws. */
export async function probeSandbox(): Promise<SandboxState> {
  const version = await execa('bwrap', ['--version'], { reject: false, stdin: 'ignore' })
  if (version.failed) {
    return { works: false, reason: 'bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)' }
  }
  const box = { workspace: '/usr', readOnly: true, network: false, cwd: '/', scratchBytes: 1 << 20 }
  const trial = await execa('bwrap', [...(await bubblewrapArguments(box)), '/bin/sh', '-c', 'exit 0'], {
    reject: false,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: 10_000,
  })
  if (!trial.failed) return { works: true, version: version.stdout.trim() }
  return {
    works: false,
    reason: `bubblewrap does not work here: ${reason(trial.stderr, trial.shortMessage)}`,
  }
}

const reason = (stderr = '', message = ''): string =>
  stderr.trim().split('\n').at(-1)?.slice(0, 300) || message.slice(0, 300)
