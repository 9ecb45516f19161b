/** The built storage thread, which dies on a call that has the words `die now` in its arguments, before it commits. */
import { parentPort } from 'node:worker_threads'

await import('../../dist/storage-thread.js')

parentPort.on('message', ({ calls = [] }) => {
  if (calls.some(({ args }) => JSON.stringify(args).includes('die now'))) process.exit(9)
})
