/**
 * `npm run fuzz [-- SECONDS]`: random keys into terminals, dumb terminals and pipes, random commands, and random
 * messages of the SSH connection protocol, against the built server. No session may end but by its own wish or by a
 * limit that says so, nothing may reach the top of the server, and somebody else is served all the while.
 *
 *     npm run fuzz                                     # three minutes, another seed each time
 *     npm run fuzz -- 10                               # ten seconds, as npm run attacks does (test/e2e/fuzz.test.ts)
 *     FUZZ_SEED=123 npm run fuzz -- 60                 # the same cases again
 *     FUZZ_SEED=123 FUZZ_CASE=45 npm run fuzz          # one of them
 *
 * It prints each kind of trouble with the smallest case that shows it, and exits 1 if there is any. This folder knows
 * the server from outside only: its port, its log and its process.
 */
import { randomInt } from 'node:crypto'
import { inspect } from 'node:util'
import { setup } from '../support/build.ts'
import { fuzz } from './fuzz.ts'
import { describeReport } from './report.ts'

const DEFAULT_SECONDS = 180

await setup()
const { FUZZ_SEED, FUZZ_CASE } = process.env
const seed = Number(FUZZ_SEED ?? randomInt(2 ** 31))
const seconds = Number(process.argv[2] ?? DEFAULT_SECONDS)
if (!Number.isSafeInteger(seed) || !(seconds > 0))
  throw new Error(`not numbers: ${inspect({ FUZZ_SEED, seconds: process.argv[2] })}`)
console.log(`seed ${seed} (FUZZ_SEED=${seed} repeats this run)`)
const report = await fuzz({ seed, seconds, ...(FUZZ_CASE === undefined ? {} : { only: Number(FUZZ_CASE) }) })
console.log(describeReport(report, seed))
if (report.findings.length > 0) process.exitCode = 1
