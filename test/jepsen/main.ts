/**
 * `npm run jepsen [-- MINUTES]`: ten clients do random things in rooms that three servers share, while servers are killed, stopped,
 * drained, put into another time and cut off from PostgreSQL and NATS, and these are killed, too. Afterwards it is judged what every
 * client was told and shown, against the log: nothing that was acknowledged is lost or doubled, all screens have one order.
 *
 *     npm run jepsen                                  # one minute of faults, another seed each time
 *     npm run jepsen -- 10                            # ten minutes
 *     JEPSEN_SEED=123 JEPSEN_BUS=nats npm run jepsen  # the same choices again; the timing is the machine's
 *
 * A failure is printed with the seed and the shortest part of the history that shows it; its data stay. Exit status 1 then. The last
 * line counts the checks. This folder knows servers from outside only: their ports, their processes, and the tables of the log.
 */
import { randomInt } from 'node:crypto'
import { setup } from '../support/build.ts'
import { lacks, missing } from '../support/needs.ts'
import { checks } from './checks/all.ts'
import { describeJudged, describePlayed, writeAll } from './report.ts'
import { play } from './run.ts'

const { JEPSEN_SEED, JEPSEN_BUS } = process.env
const seed = Number(JEPSEN_SEED ?? randomInt(2 ** 31))
const minutes = Number(process.argv[2] ?? 1)
if (!Number.isSafeInteger(seed) || !(minutes > 0))
  throw new Error('JEPSEN_SEED is a whole number, MINUTES is above 0')

async function run(): Promise<void> {
  if (lacks('postgres')) {
    console.log(`${missing.join('\n')}\n0 passed, 0 failed, ${checks.length} skipped`)
    return
  }
  await setup()
  const bus = lacks('nats') || JEPSEN_BUS === 'postgres' ? 'postgres' : 'nats'
  console.log(`seed ${seed} (JEPSEN_SEED=${seed} JEPSEN_BUS=${bus} repeats the choices of this run)`)
  await play({ seed, minutes, bus }, async (played, site) => {
    const judged = checks.map((check) => ({ check, findings: check.judge(played) }))
    const failed = judged.filter(({ findings }) => findings.length > 0).length
    console.log(`${describePlayed(played)}\n${describeJudged(judged)}`)
    if (failed > 0) {
      await writeAll(played, site, judged)
      console.log(`seed ${seed}, ${bus}; the data are in ${site.dir}`)
      process.exitCode = 1
    }
    console.log(`${checks.length - failed} passed, ${failed} failed, 0 skipped`)
    return failed > 0
  })
}

await run()
