import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createModelStage, type ModelStage } from './stage.ts'

const wrapped = (name: string, command: string): string =>
  `Runs something.\n\n@title ${name}\n@name ${name}\n@wrapped run_command\n@command ${command}\n` +
  '@access read\n@deny none\n@param arguments {array<string>} [required] words\n'

/** A stage with two tools that sleep for as many seconds as they are told: Hold, and Swarm, which has fifty processes. Rhea is its admin. */
export async function createHoldingStage(timeoutSeconds: number): Promise<ModelStage> {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-tools-'))
  await writeFile(join(dir, 'Hold.tool'), wrapped('Hold', 'sleep {arguments}'))
  await writeFile(
    join(dir, 'Swarm.tool'),
    wrapped('Swarm', `sh -c 'trap "" TERM; for i in $(seq 50); do sleep "$1" & done; wait' sh {arguments}`),
  )
  const stage = await createModelStage(`
context_window = 16000

[tools]
dirs = ["${dir}"]
timeout_s = ${timeoutSeconds}
`)
  await stage.claim('rhea')
  const endStage = stage[Symbol.asyncDispose]
  return Object.assign(stage, {
    [Symbol.asyncDispose]: async () => {
      await endStage()
      await rm(dir, { recursive: true })
    },
  })
}
