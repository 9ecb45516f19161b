// Our client, as the suite starts it: a server of ours with the suite's own as `[[mcp]]`, in which somebody runs every tool
// that it has. The suite adds the address, and names the scenario in the environment.
import { setTimeout as pause } from 'node:timers/promises'
import { createStage, type Stage } from '../support/stage.ts'

/** What each scenario's tool is called with. */
const ARGUMENTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } }

/** How often the list of tools is asked for, in ms, and for how long altogether. */
const LOOK_MS = 200
const PATIENCE_MS = 10_000

async function main(url: string): Promise<void> {
  await using stage = await createStage({
    config: `[server]\naccess = "open"\n[[mcp]]\nname = "suite"\nurl = "${url}"\ntrust = "annotations"\n`,
  })
  await stage.claim('root')
  for (const tool of await toolsOf(stage)) {
    const given = JSON.stringify(ARGUMENTS[tool.replace('suite_', '')] ?? {})
    const { stdout, stderr } = await stage.as('root', ['run', 'lobby', '--allow', tool, tool, given])
    process.stderr.write(`${tool}: ${stdout}${stderr}\n`)
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
