import type { Confinement, Strength } from './bubblewrap.ts'
import { launchConfined } from './launch.ts'
import { systemCallFilter } from './system-calls.ts'

/** Whether commands can run in a sandbox on this machine, with what; and if not, why and what to do. */
export type SandboxState =
  | { readonly works: true; readonly version: string; readonly strength: Strength }
  | { readonly works: false; readonly reason: string }

/** What the sandbox is tried with: it changes nothing. */
const TRIAL: Confinement = {
  workspace: '/usr',
  cwd: '/usr',
  readOnly: true,
  network: false,
  limits: { memoryBytes: 64 * 1024 * 1024, processes: 0, fileBytes: Infinity },
}

/** Milliseconds for one trial. */
const TRIAL_MS = 10_000

/** Tries real sandboxes around an empty command, the strongest first. Never throws. */
export async function probeSandbox(): Promise<SandboxState> {
  const { execa } = await import('execa')
  const version = await execa('bwrap', ['--version'], { reject: false, stdin: 'ignore' })
  if (version.failed) {
    return { works: false, reason: 'bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)' }
  }
  let reason = ''
  for (const strength of strengths()) {
    const failure = await tryOnce(strength)
    if (failure === undefined) return { works: true, version: version.stdout.trim(), strength }
    reason = failure
  }
  return { works: false, reason: `bubblewrap does not work here: ${reason.slice(0, 300)}` }
}

function strengths(): readonly Strength[] {
  const filter = systemCallFilter()
  const filtered = [true, false].map((noUserNamespaces) => ({ noUserNamespaces, filter }))
  return [...(filter ? filtered : []), ...filtered.map((each) => ({ ...each, filter: undefined }))]
}

/** Why there is no sandbox of this strength; undefined if there is. */
async function tryOnce(strength: Strength): Promise<string | undefined> {
  const { file, args, env, filter } = await launchConfined(['true'], TRIAL, strength)
  const stdio = ['ignore', 'ignore', 'pipe', 'pipe', filter ?? 'ignore'] as const
  const { execa } = await import('execa')
  const trial = await execa(file, args, { env, extendEnv: false, reject: false, stdio, timeout: TRIAL_MS })
  if (!trial.failed) return undefined
  return trial.stderr.trim().split('\n').at(-1) || (trial.shortMessage ?? '')
}

/** What holds in a sandbox of this machine, for `sshawl check`. */
export function describeSandbox({ noUserNamespaces, filter }: Strength): string {
  const isRoot = process.getuid?.() === 0
  return [
    filter
      ? 'system calls are filtered'
      : `system calls are not filtered (this needs seccomp, and x64 or arm64; here: ${process.arch})`,
    noUserNamespaces || filter
      ? 'no namespaces inside'
      : 'namespaces inside are possible (bubblewrap 0.8 or a filter of system calls would end that)',
    isRoot
      ? 'run the server as a user of its own: for root processes are counted, and the kernel itself sets no limit'
      : 'the kernel limits processes',
  ].join('; ')
}
