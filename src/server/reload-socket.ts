import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import type { ReloadResult } from './reload.ts'

/** The data directory protects the socket: only the server's user can enter it. */
const SOCKET = 'reload.sock'

/** The size of `sun_path` with its final NUL (unix(7)). */
const MAX_SOCKET_PATH = 108

/**
 * Listens for `sshawl reload`. If the path is too long for a socket, only SIGHUP works, and a line on stderr
 * says so.
 */
export async function answerReloads(
  dataDir: string,
  reload: () => Promise<ReloadResult>,
): Promise<AsyncDisposable> {
  const path = join(dataDir, SOCKET)
  const server = createServer((socket) => void answer(socket, reload))
  if (isTooLong(path)) process.stderr.write(`sshawl: ${tooLong(path)}\n`)
  else {
    // Removes the socket of a server that was killed.
    await rm(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
  }
  return { [Symbol.asyncDispose]: async () => void server.close() }
}

async function answer(socket: Socket, reload: () => Promise<ReloadResult>): Promise<void> {
  // The client may disconnect before the answer.
  socket.on('error', () => socket.destroy())
  socket.end(JSON.stringify(await reload()))
}

/** Asks the running server to reload. Rejects with an `Error` that says why there was no answer. */
export async function askForReload(dataDir: string): Promise<ReloadResult> {
  const path = join(dataDir, SOCKET)
  if (isTooLong(path)) throw new Error(tooLong(path))
  const socket = connect(path)
  const answered = await readAll(socket).catch(() => undefined)
  if (answered === undefined) throw new Error(`no sshawl serves from ${dataDir}; is it another --data?`)
  if (answered === '') throw new Error('the server did not say how it went; see its log')
  const reloaded: ReloadResult = JSON.parse(answered)
  return reloaded
}

const isTooLong = (path: string): boolean => Buffer.byteLength(path) >= MAX_SOCKET_PATH

const tooLong = (path: string): string =>
  `${path} is too long for a socket, so sshawl reload cannot be used here; send SIGHUP to the server`
