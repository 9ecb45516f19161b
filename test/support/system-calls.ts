import { spawn } from 'node:child_process'

/** Opens, connects, starts or signals something; and what is written, to tell one moment from another. */
const watched =
  '%file,%network,fork,vfork,clone,clone3,execve,execveat,kill,tgkill,tkill,io_uring_setup,ptrace,write'

/**
 * Writes every watched call of these processes, their threads and what they start into a file, until disposed of:
 * a line each, the thread's id first (strace's format). Resolves when all are being watched.
 */
export async function traceCalls(pids: readonly number[], file: string): Promise<AsyncDisposable> {
  const targets = pids.flatMap((pid) => ['-p', String(pid)])
  const options = ['-f', '-s', '64', '-e', `trace=${watched}`, '-e', 'signal=none', '-o', file]
  const tracer = spawn('strace', [...options, ...targets], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise((resolve) => tracer.once('close', resolve))
  await new Promise<void>((resolve, reject) => {
    let said = ''
    tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (pids.every((pid) => said.includes(`Process ${pid} attached`))) resolve()
    })
    tracer.once('close', () => reject(new Error(`strace ended: ${said}`)))
  })
  return {
    async [Symbol.asyncDispose]() {
      tracer.kill('SIGINT')
      await ended
    },
  }
}
