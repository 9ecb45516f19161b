/** Opens wires over NATS, one after the other, and prints whether each works; for what holds of a whole process, such as whom it trusts. */
import { openWire } from '../../src/cluster/wire/wire.ts'
import { createEventLog } from './event-log.ts'

for (const url of process.argv.slice(2)) {
  const log = createEventLog()
  await using wire = await openWire({ bus: { url, prefix: 'probe' }, storageUrl: '', log })
  console.log(JSON.stringify({ isUp: wire.isUp(), lines: log.lines }))
}
