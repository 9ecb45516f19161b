/**
 * Loaded into a server with NODE_OPTIONS=--import: answers over a Unix socket what can only be known from within.
 * The server does not know of it. One line of JSON asks, one line answers.
 */
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { Session } from 'node:inspector/promises'
import { writeFile } from 'node:fs/promises'
import { writeHeapSnapshot } from 'node:v8'
import { isMainThread } from 'node:worker_threads'

const path = process.env['PROBE_SOCKET']
delete process.env['PROBE_SOCKET']
delete process.env['NODE_OPTIONS']

/** Not before it is needed: a process that is not asked runs as it would alone. */
let session

function inspector() {
  if (!session) {
    session = new Session()
    session.connect()
  }
  return session
}

const actions = {
  /** Memory after a full collection, and what keeps the process alive: handles, requests and timers, by their kind. */
  async figures() {
    for (let round = 0; round < 3; round += 1) await inspector().post('HeapProfiler.collectGarbage')
    const resources = {}
    for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
    return { memory: process.memoryUsage(), resources }
  },
  async startProfile() {
    await inspector().post('Profiler.enable')
    await inspector().post('Profiler.start')
    return {}
  },
  async stopProfile(file) {
    const { profile } = await inspector().post('Profiler.stop')
    await writeFile(file, JSON.stringify(profile))
    return {}
  },
  async writeHeap(file) {
    return writeHeapSnapshot(file)
  },
}

function serve(socket) {
  socket.on('error', () => undefined)
  createInterface({ input: socket }).on('line', (line) => {
    const { action, argument } = JSON.parse(line)
    actions[action](argument).then(
      (answer) => socket.write(`${JSON.stringify({ answer })}\n`),
      (error) => socket.write(`${JSON.stringify({ error: String(error) })}\n`),
    )
  })
}

// Worker threads and child processes of the server load it too, and leave the socket to the server.
if (path && isMainThread) createServer(serve).listen(path).unref()
