import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const JITI = fileURLToPath(
  import.meta.resolve('jiti/package.json').replace('package.json', 'lib/jiti-cli.mjs'),
)

/**
 * Runs a TypeScript file in a process of its own, which is to end when its parent's channel closes. Resolves with its
 * first message.
 */
export async function startChild(
  file: URL,
  args: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly first: unknown } & AsyncDisposable> {
  const child = fork(JITI, [fileURLToPath(file), ...args], { serialization: 'advanced' })
  const ended = once(child, 'exit')
  const dispose = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  const [first] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`${file.pathname} ended with status ${String(code)}`))),
  ])
  return { child, first, [Symbol.asyncDispose]: dispose }
}
