// Our client, as the suite starts it: a server of ours with the suite's own as `[[mcp]]`, in which somebody runs every tool
// that it has. The suite adds the address, and names the scenario in the environment.
import { setTimeout as pause } from 'node:timers/promises'
import { says } from '../support/model-server.ts'
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

async function main(url: string): Promise<void> {
  await using stage = await createModelStage(
    `\n[[mcp]]\nname = "suite"\nurl = "${url}"\ntrust = "annotations"\n`,
  )
  await stage.claim('root')
  for (const tool of await toolsOf(stage)) {
    const given = JSON.stringify((await ARGUMENTS[tool]?.(stage)) ?? {})
    const { stdout, stderr } = await stage.as('root', ['run', 'lobby', '--allow', tool, tool, given])
    process.stderr.write(`${tool}: ${stdout}${stderr}\n`)
  }
}

/** The tools of the suite's server, once it has answered: a scenario may have none, and may let nobody in. */
async function toolsOf(stage: ModelStage): Promise<readonly string[]> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const { stdout } = await stage.as('root', ['mcp', 'list', '--json'])
    if (!stdout.includes('"connecting"') || performance.now() > until) break
    await pause(LOOK_MS)
  }
  const { stdout } = await stage.as('root', ['tools', 'lobby', '--json'])
  const { tools } = JSON.parse(stdout) as { readonly tools: readonly { readonly id: string }[] }
  return tools.map(({ id }) => id).filter((id) => id.startsWith('suite_'))
}

/** The schema of a tool, as a model reads it. */
async function schemaForModels(stage: ModelStage, tool: string): Promise<unknown> {
  stage.models.play(says('thank you'))
  await stage.as('root', ['ask', 'lobby', '@qwen', 'which tools do you have?'])
  const { tools = [] } = stage.models.requests.at(-1)!.body
  return tools.find((one) => one.function.name === tool)?.function.parameters
}

await main(process.argv.at(-1) ?? '')
