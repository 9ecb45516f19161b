import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const JITI = fileURLToPath(
  import.meta.resolve('jiti/package.json').replace('package.json', 'lib/jiti-cli.mjs'),
)

interface Reply {
  readonly value?: unknown
  readonly failed?: string
}

/**
 * Runs a TypeScript file in a process of its own, which is to end when its parent's channel closes. Resolves with its
 * first message. `ask` is for programs that call `answerParent`: one request at a time.
 */
export async function startChild(file: URL) {
  const child = fork(JITI, [fileURLToPath(file)], { serialization: 'advanced' })
  const ended = once(child, 'exit')
  const died = ended.then(([code]) => {
    throw new Error(`${file.pathname} ended with status ${String(code)}`)
  })
  const next = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), died]))[0]
  const first = await next()
  return {
    pid: child.pid!,
    first,
    async ask(request: object): Promise<unknown> {
      child.send(request)
      const { value, failed } = (await next()) as Reply
      if (failed !== undefined) throw new Error(failed)
      return value
    },
    async [Symbol.asyncDispose]() {
      died.catch(() => undefined)
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** In such a program: answers each request of its parent. */
export function answerParent(answer: (request: never) => Promise<unknown>): void {
  const reply = (message: Reply | 'ready'): void => void process.send?.(message)
  process.on('message', (request) => {
    answer(request as never).then(
      (value) => reply({ value }),
      (error: unknown) => reply({ failed: String(error) }),
    )
  })
  process.on('disconnect', () => process.exit())
  reply('ready')
}
