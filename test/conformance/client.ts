// Our client, as the suite starts it: a server of ours with the suite's own as `[[mcp]]`, in which somebody runs every tool
// that it has. The suite adds the address, and names the scenario in the environment.
import { setTimeout as pause } from 'node:timers/promises'
import { says } from '../support/model-server.ts'
import { logInAt } from '../support/mcp/login-server.ts'
import { createModelStage, type ModelStage } from '../support/stage.ts'

/** What each scenario's tool is called with; the others without arguments. */
const ARGUMENTS: Readonly<Record<string, (stage: ModelStage) => Promise<object>>> = {
  suite_add_numbers: async () => ({ a: 5, b: 3 }),
  suite_json_schema_echo: async (stage) => ({
    schema: await schemaForModels(stage, 'suite_json_schema_2020_12_tool'),
  }),
}

/** How often the list of tools is asked for, in ms, and for how long altogether. */
const LOOK_MS = 200
const PATIENCE_MS = 10_000

/** How often somebody logs in, also where a tool wants a login that may do more. */
const MAX_LOGINS = 3

async function main(url: string): Promise<void> {
  const { oauth, env } = await loginAt(url)
  await using stage = await createModelStage(
    `\n[[mcp]]\nname = "suite"\nurl = "${url}"\ntrust = "annotations"\n${oauth}`,
    { env },
  )
  await stage.claim('rhea')
  for (let logins = 0; logins < MAX_LOGINS; logins++)
    if ((await settled(stage)).includes('"login":"wanted"')) await logIn(stage)
  for (const tool of await toolsOf(stage)) await runAndLogIn(stage, tool)
}

/** What a scenario tells a client beforehand. */
const CONTEXT = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly client_id?: string
  readonly client_secret?: string
  /** Tools, and what each is called with. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[]
}

/** What the suite says of a client that is registered already, as the config has it. */
async function loginAt(url: string): Promise<{ oauth: string; env: Readonly<Record<string, string>> }> {
  const { client_id, client_secret } = CONTEXT
  if (client_id === undefined || client_secret === undefined) return { oauth: '', env: {} }
  const isOwn = process.env['MCP_CONFORMANCE_SCENARIO']?.includes('client-credentials') ?? false
  const grant = isOwn ? 'client_credentials' : 'authorization_code'
  const oauth = `oauth = { issuer = "${await issuerOf(url)}", client_id = "${client_id}", client_secret_env = "SUITE_SECRET", grant = "${grant}" }\n`
  return { oauth, env: { SUITE_SECRET: client_secret } }
}

/** An operator would know it. */
async function issuerOf(url: string): Promise<string> {
  const { origin, pathname } = new URL(url)
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)
  const { authorization_servers } = (await response.json()) as {
    readonly authorization_servers: readonly string[]
  }
  return authorization_servers[0] ?? origin
}

async function runAndLogIn(stage: ModelStage, tool: string): Promise<void> {
  const told = CONTEXT.toolCalls?.find(({ name }) => `suite_${name}` === tool)?.arguments
  const given = JSON.stringify(told ?? (await ARGUMENTS[tool]?.(stage)) ?? {})
  for (let logins = 0; logins <= MAX_LOGINS; logins++) {
    const { stdout, stderr } = await stage.as('rhea', ['run', 'lobby', '--allow', tool, tool, given])
    process.stderr.write(`${tool}: ${stdout}${stderr}\n`)
    if (!`${stdout}${stderr}`.includes('mcp login suite')) return
    await logIn(stage)
  }
}

/** As somebody does it with a browser, who agrees to everything. */
async function logIn(stage: ModelStage): Promise<void> {
  const begun = await stage.as('rhea', ['mcp', 'login', '--json', 'suite'])
  process.stderr.write(`login: ${begun.stdout}${begun.stderr}\n`)
  if (begun.exitCode !== 0) return
  const { open } = JSON.parse(begun.stdout) as { readonly open: string }
  const { stdout, stderr } = await stage.as('rhea', ['mcp', 'login', 'suite', await logInAt(open)])
  process.stderr.write(`logged in: ${stdout}${stderr}\n`)
}

/** The suite's server as `mcp list` has it, once it has answered. */
async function settled(stage: ModelStage): Promise<string> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { stdout } = await stage.as('rhea', ['mcp', 'list', '--json'])
    if (!stdout.includes('"connecting"') || performance.now() > until) return stdout
    await pause(LOOK_MS)
  }
}

/** Its tools: a scenario may have none, and may let nobody in. */
async function toolsOf(stage: ModelStage): Promise<readonly string[]> {
  await settled(stage)
  const { stdout } = await stage.as('rhea', ['tools', 'lobby', '--json'])
  const { tools } = JSON.parse(stdout) as { readonly tools: readonly { readonly id: string }[] }
  return tools.map(({ id }) => id).filter((id) => id.startsWith('suite_'))
}

/** The schema of a tool, as a model reads it. */
async function schemaForModels(stage: ModelStage, tool: string): Promise<unknown> {
  stage.models.play(says('thank you'))
  await stage.as('rhea', ['ask', 'lobby', '@qwen', 'which tools do you have?'])
  const { tools = [] } = stage.models.requests.at(-1)!.body
  return tools.find((one) => one.function.name === tool)?.function.parameters
}

await main(process.argv.at(-1) ?? '')
