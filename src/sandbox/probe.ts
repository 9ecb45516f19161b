import type { Confinement, Strength } from './bubblewrap.ts'
import { launchConfined } from './launch.ts'
import { findCgroups } from './process-cgroup.ts'
import { runBriefly } from './run-briefly.ts'
import { systemCallFilter } from './system-calls.ts'

/** Whether commands can run in a sandbox on this machine, and how strong it is; or why not and what to do. */
export type SandboxState =
  | { readonly works: true; readonly version: string; readonly strength: Strength }
  | { readonly works: false; readonly reason: string }

/** The trial command's sandbox. It changes nothing. */
const TRIAL: Confinement = {
  workspace: '/usr',
  cwd: '/usr',
  readOnly: true,
  network: false,
  limits: { memoryBytes: 64 * 1024 * 1024, processes: 0, fileBytes: Infinity },
}

const TRIAL_MS = 10_000

/** Tries real sandboxes around an empty command, the strongest first. Never throws. */
export async function probeSandbox(): Promise<SandboxState> {
  const version = await runBriefly('bwrap', ['--version'], { timeout: TRIAL_MS })
  if (!version.succeeded) {
    return { works: false, reason: 'bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)' }
  }
  let reason = ''
  for (const strength of strengths()) {
    const failure = await tryOnce(strength)
    if (failure === undefined)
      return {
        works: true,
        version: version.stdout.trim(),
        strength: { ...strength, cgroups: findCgroups() },
      }
    reason = failure
  }
  return { works: false, reason: `bubblewrap does not work here: ${reason.slice(0, 300)}` }
}

function strengths(): readonly Strength[] {
  const filter = systemCallFilter()
  const filtered = [true, false].map((noUserNamespaces) => ({ noUserNamespaces, filter }))
  return [...(filter ? filtered : []), ...filtered.map((each) => ({ ...each, filter: undefined }))]
}

/** Resolves to why there is no sandbox of this strength; undefined if there is one. */
async function tryOnce(strength: Strength): Promise<string | undefined> {
  const { file, args, env, filter } = await launchConfined(['true'], TRIAL, strength)
  const trial = await runBriefly(file, args, { env, filter, timeout: TRIAL_MS })
  if (trial.succeeded) return undefined
  return (
    trial.stderr.trim().split('\n').at(-1) || `it did not end within ${TRIAL_MS / 1000} s, or without a word`
  )
}

export const hasProcessLimit = ({ cgroups }: Pick<Strength, 'cgroups'>): boolean =>
  process.getuid?.() !== 0 || cgroups !== undefined

export const NO_PROCESS_LIMIT =
  'run the server as a user of its own: it runs as root and can make no cgroup that limits processes, so they are only counted'

/** Describes the protection by this machine's sandbox, for `sshawl check`. */
export function describeSandbox({ noUserNamespaces, filter, cgroups }: Strength): string {
  return [
    filter
      ? 'system calls are filtered'
      : `system calls are not filtered (this needs seccomp, and x64 or arm64; here: ${process.arch})`,
    noUserNamespaces || filter
      ? 'no namespaces inside'
      : 'namespaces inside are possible (bubblewrap 0.8 or a filter of system calls would end that)',
    hasProcessLimit({ cgroups }) ? 'the kernel limits processes' : NO_PROCESS_LIMIT,
  ].join('; ')
}
