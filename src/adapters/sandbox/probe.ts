import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import type { Confinement, Strength } from './bubblewrap.ts'
import { launchConfined, type Launch } from './launch.ts'
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
  const version = await runToEnd('bwrap', ['--version'], {})
  if (version.failure !== undefined) {
    return { works: false, reason: 'bubblewrap is not installed (Debian, Ubuntu: apt install bubblewrap)' }
  }
  let reason = ''
  for (const strength of strengths()) {
    const failure = await tryOnce(strength)
    if (failure === undefined) return { works: true, version: version.output.trim(), strength }
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
  const { file, args, ...more } = await launchConfined(['true'], TRIAL, strength)
  return (await runToEnd(file, args, more)).failure
}

/**
 * Runs a command until it ends, and says why it failed if it did. Without execa: every start of the server would wait
 * for its hundred files to load.
 */
function runToEnd(
  file: string,
  args: readonly string[],
  { env, filter }: Partial<Pick<Launch, 'env' | 'filter'>>,
): Promise<{ readonly output: string; readonly failure?: string }> {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', filter ? 'pipe' : 'ignore'] as const
  const limits = { timeout: TRIAL_MS, killSignal: 'SIGKILL' } as const
  const child = spawn(file, args, { ...(env && { env }), ...limits, stdio: [...stdio] })
  const [, stdout, stderr, info, filterEnd] = child.stdio
  const said = { output: '', errors: '' }
  stdout?.on('data', (bytes: Buffer) => (said.output += bytes.toString()))
  stderr?.on('data', (bytes: Buffer) => (said.errors += bytes.toString()))
  if (info instanceof Readable) info.resume()
  // A command that ended at once reads no filter; its status tells why.
  if (filterEnd instanceof Writable) filterEnd.on('error', () => {}).end(filter)
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ output: '', failure: message }))
    child.once('close', (code, signal) => {
      const how = code === null ? `ended by ${signal}` : `exit status ${code}`
      const failure = said.errors.trim().split('\n').at(-1) || how
      resolve({ output: said.output, ...(code === 0 ? {} : { failure }) })
    })
  })
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
