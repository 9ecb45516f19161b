// Our client, as the suite starts it: a server of ours with the suite's own as `[[mcp]]`, in which somebody runs every tool
// that it has, and logs in where it wants that. The suite adds the address, and names the scenario in the environment.
import { setTimeout as pause } from 'node:timers/promises'
import { createStage, type Stage } from '../support/server.ts'
import { logInAt } from '../support/mcp/login-server.ts'

/** What each scenario's tool is called with. */
const ARGUMENTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } }

/** How often the list of tools is asked for, in ms, and for how long altogether. */
const LOOK_MS = 200
const PATIENCE_MS = 10_000

/** How often somebody logs in again because a tool wants a login that may do more. */
const MAX_LOGINS = 3

async function main(url: string): Promise<void> {
  const { oauth, env } = await loginOf(url)
  await using stage = await createStage({
    config: `[server]\naccess = "open"\n[[mcp]]\nname = "suite"\nurl = "${url}"\ntrust = "annotations"\n${oauth}`,
    env,
  })
  await stage.claim('root')
  if (await wantsLogin(stage)) await logIn(stage)
  for (const tool of await toolsOf(stage)) await runAndLogIn(stage, tool)
}

/** What the suite says of a client that is registered already, as the config has it. */
async function loginOf(url: string): Promise<{ oauth: string; env: Readonly<Record<string, string>> }> {
  const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Readonly<
    Record<string, string>
  >
  const { client_id, client_secret } = context
  if (client_id === undefined || client_secret === undefined) return { oauth: '', env: {} }
  const grant = process.env['MCP_CONFORMANCE_SCENARIO']?.includes('client-credentials')
    ? 'client_credentials'
    : 'authorization_code'
  const oauth = `oauth = { issuer = "${await issuerOf(url)}", client_id = "${client_id}", client_secret_env = "SUITE_SECRET", grant = "${grant}" }\n`
  return { oauth, env: { SUITE_SECRET: client_secret } }
}

/** An operator would know it. */
async function issuerOf(url: string): Promise<string> {
  const { origin, pathname } = new URL(url)
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)
  const { authorization_servers } = (await response.json()) as { authorization_servers: readonly string[] }
  return authorization_servers[0] ?? origin
}

async function runAndLogIn(stage: Stage, tool: string): Promise<void> {
  const given = JSON.stringify(ARGUMENTS[tool.replace('suite_', '')] ?? {})
  for (let logins = 0; logins <= MAX_LOGINS; logins++) {
    const { stdout, stderr } = await stage.as('root', ['run', 'lobby', '--allow', tool, tool, given])
    process.stderr.write(`${tool}: ${stdout}${stderr}\n`)
    if (!`${stdout}${stderr}`.includes('mcp login suite')) return
    await logIn(stage)
  }
}

/** As somebody does it with a browser, who agrees to everything. */
async function logIn(stage: Stage): Promise<void> {
  const begun = await stage.as('root', ['mcp', 'login', '--json', 'suite'])
  process.stderr.write(`login: ${begun.stdout}${begun.stderr}\n`)
  if (begun.exitCode !== 0) return
  const { open } = JSON.parse(begun.stdout) as { readonly open: string }
  const { stdout, stderr } = await stage.as('root', ['mcp', 'login', 'suite', await logInAt(open)])
  process.stderr.write(`logged in: ${stdout}${stderr}\n`)
}

interface Listed {
  readonly state: string
  readonly login: string | null
}

/** Whether the suite's server turned us away at first. */
async function wantsLogin(stage: Stage): Promise<boolean> {
  for (;;) {
    const [server] = JSON.parse(
      (await stage.as('root', ['mcp', 'list', '--json'])).stdout,
    ) as readonly Listed[]
    if (server?.state !== 'connecting') return server?.login === 'wanted'
    await pause(LOOK_MS)
  }
}

/** The tools of the suite's server, once there are any; a scenario may have none. */
async function toolsOf(stage: Stage): Promise<readonly string[]> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { stdout } = await stage.as('root', ['tools', 'lobby', '--json'])
    const { tools } = JSON.parse(stdout) as { readonly tools: readonly { readonly id: string }[] }
    const found = tools.map(({ id }) => id).filter((id) => id.startsWith('suite_'))
    if (found.length > 0 || performance.now() > until || stage.server.stderr().includes('initialized'))
      return found
    await pause(LOOK_MS)
  }
}

await main(process.argv.at(-1) ?? '')
