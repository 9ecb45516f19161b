import { execa } from 'execa'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createDeferred } from '../../src/base/jobs/waiting.ts'
import { llamaServer } from './needs.ts'
import { writeRandomLlama } from './random-llama.ts'

export type LlamaServer = Awaited<ReturnType<typeof startLlamaServer>>

/** llama.cpp's own server, with a model of random weights. `window`: tokens, which are bytes here. */
export async function startLlamaServer(window: number) {
  const dir = await mkdtemp(join(tmpdir(), 'llama-'))
  const model = join(dir, 'random.gguf')
  await writeRandomLlama(model)
  const size = ['--ctx-size', String(window), '--parallel', '1', '--threads', '1', '--temp', '1']
  const address = ['--host', '127.0.0.1', '--port', '0', '--offline', '--no-ui', '--metrics']
  const program = llamaServer()
  if (program === undefined) throw new Error('there is no llama-server')
  const server = execa(program, ['--model', model, ...size, ...address], {
    ...{ stdin: 'ignore', all: true, buffer: false, reject: false },
  })
  const end = async (): Promise<void> => {
    server.kill()
    await server
    await rm(dir, { recursive: true, force: true })
  }
  const said: string[] = []
  const { promise, resolve } = createDeferred<string | undefined>()
  createInterface({ input: server.all })
    .on('line', (line) => {
      said.push(line)
      const address = /listening on (http:\S+)/.exec(line)?.[1]
      if (address !== undefined) resolve(address)
    })
    .on('close', () => resolve(undefined))
  const endpoint = await promise
  if (endpoint === undefined) {
    await end()
    throw new Error(`llama-server did not start: ${said.slice(-5).join('\n')}`)
  }
  return {
    /** `http://127.0.0.1:PORT`. */
    endpoint,
    /** Its own sum of a kind, such as `tokens_predicted`, since it started. */
    async count(kind: string): Promise<number> {
      const metrics = await (await fetch(`${endpoint}/metrics`)).text()
      return Number(new RegExp(`^llamacpp:${kind}_total (\\d+)`, 'm').exec(metrics)?.[1])
    },
    /** Prompts that it refused as longer than its window. */
    refusals: (): number => said.filter((line) => line.includes('exceeds the available context size')).length,
    [Symbol.asyncDispose]: end,
  }
}
