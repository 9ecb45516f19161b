/**
 * How long the server lets a person wait: types a character into a session, waits for its echo, and again. A process of
 * its own, so that what a test does meanwhile is not measured. Prints `ready`; then for each line on standard input how
 * many ms the echoes took since the line before, one that has not come yet included, as a JSON list.
 *
 * Arguments: port, user, private key file.
 */
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import ssh2 from 'ssh2'

const [, , port, username, keyFile] = process.argv
const PAUSE_MS = 5
/** Each changes the draft, so each is echoed, whatever was painted together with the one before. ^U empties the draft. */
const KEYS = 'abcdefghijklmnopqrstuvwxyz\x15'

const client = new ssh2.Client()
const privateKey = await readFile(keyFile)
await new Promise((resolve, reject) => {
  client.once('ready', resolve).once('error', reject)
  client.connect({ host: '127.0.0.1', port: Number(port), username, privateKey })
  client.setNoDelay(true)
})
const channel = await new Promise((resolve, reject) =>
  client.shell({ term: 'xterm', cols: 80, rows: 24 }, (error, opened) =>
    error ? reject(error) : resolve(opened),
  ),
)

let samples = []
let since = 0
const asked = createInterface({ input: process.stdin })
// A test that failed must leave nobody typing.
asked.on('close', () => process.exit(0))
asked.on('line', () => {
  const late = performance.now() - since
  console.log(JSON.stringify(since > 0 && late > PAUSE_MS ? [...samples, late] : samples))
  samples = []
})
channel.on('close', () => process.exit(1))

const output = () => new Promise((resolve) => channel.once('data', resolve))
await output()
console.log('ready')
for (let number = 0; ; number += 1) {
  since = performance.now()
  const echo = output()
  channel.write(KEYS[number % KEYS.length])
  await echo
  samples.push(performance.now() - since)
  since = 0
  await sleep(PAUSE_MS)
}
