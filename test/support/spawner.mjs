/**
 * Starts programs for a worker of tests (spawned.ts), which would stand still for 20 to 60 ms at each: Linux copies the tables of its
 * hundreds of megabytes. Each message `{ id, command, args, env }` takes three connections to the socket that the only argument names:
 * standard input, output and error. `{ id, signal }` is for one that runs.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'

const connections = []
const asked = []
const running = new Map()

createServer({ pauseOnConnect: true, allowHalfOpen: true }, (connection) => {
  connections.push(connection)
  startAsked()
}).listen(process.argv[2], () => process.send('ready'))

process.on('message', (message) => {
  if (message.signal !== undefined) {
    running.get(message.id)?.kill(message.signal)
    return
  }
  asked.push(message)
  startAsked()
})

process.on('disconnect', () => {
  for (const child of running.values()) child.kill('SIGKILL')
  process.exit()
})

function startAsked() {
  while (asked.length > 0 && connections.length >= 3) start(asked.shift(), connections.splice(0, 3))
}

function start({ id, command, args, env }, stdio) {
  const child = spawn(command, args, { env, stdio })
  running.set(id, child)
  for (const connection of stdio) connection.destroy()
  const end = (told) => {
    running.delete(id)
    process.send({ id, ...told })
  }
  child.once('error', ({ message }) => end({ error: message }))
  child.once('exit', (exitCode) => end({ exitCode }))
}
