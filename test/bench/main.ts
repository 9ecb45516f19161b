/**
 * `npm run bench -- NAME ARGUMENTS`: measurements that print a table. `fan-out`, `streaming`, `agents` and `servers` start crowds of
 * clients and have arguments of their own (their run.ts tells them); any other name is a file of vitest's beside this
 * one (append, compose, catalogue, history, first-byte, login, copy). Without a name all are run, one after another: nothing else may run while they do.
 */
import { execa } from 'execa'
import { setup } from '../support/build.ts'
import { runAgents } from './agents/run.ts'
import { runFanOut } from './fan-out/run.ts'
import { runServers } from './servers/run.ts'
import { runStreaming } from './streaming/run.ts'

const CROWDS = new Map([
  ['fan-out', runFanOut],
  ['streaming', runStreaming],
  ['agents', runAgents],
  ['servers', runServers],
])

async function run([name, ...args]: readonly string[]): Promise<number> {
  const crowd = CROWDS.get(name ?? '')
  if (name !== undefined && !crowd) return runVitest([name, ...args])
  await setup()
  if (crowd) return crowd(args)
  const statuses = [await runVitest([])]
  for (const one of CROWDS.values()) statuses.push(await one([]))
  return Math.max(...statuses)
}

async function runVitest(args: readonly string[]): Promise<number> {
  const command = ['vitest', 'run', '--config', 'test/bench/vitest.config.ts', ...args]
  const { exitCode } = await execa('npx', command, { stdio: 'inherit', reject: false })
  return exitCode ?? 1
}

process.exitCode = await run(process.argv.slice(2))
