import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mark, processesWith } from '../contract/workspace/run-exam.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { createHoldingStage } from '../support/holding-stage.ts'
import { calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import type { ModelStage } from '../support/stage.ts'

const stage = await forAllTests(createHoldingStage(6))

/** In KiB. */
const memoryOfServer = async (): Promise<number> =>
  Number(/^VmRSS:\s*(\d+)/m.exec(await readFile(`/proc/${stage.server.process.pid}/status`, 'utf8'))?.[1])

const ask = () => stage.as('rhea', ['ask', 'lobby', '@qwen', 'go'])
const answered = (): unknown => stage.models.requests.at(-1)!.body.messages.at(-1)

describe.skipIf(lacks('bwrap'))('commands on a server', () => {
  test('a search that needs 1.8 GB ends at the memory limit, and the server does not grow', async () => {
    const before = await memoryOfServer()
    const pattern = JSON.stringify({ arguments: ['-E', '((a{1,200}){1,200}){1,100}', 'x'] })
    const { exitCode, stderr } = await stage.as('bob', ['run', 'lobby', 'Grep', pattern])
    expect(exitCode).toBe(1)
    // Its own limit ends it, by what grep says or by an abort of the C library, or the watch, whichever sees it first.
    expect(stderr).toMatch(
      /^ERROR: Grep: the command (exited with code 2[^]*exhausted|exited with code 134[^]*it had taken|was killed by SIGKILL \[stopped: it took more than 512 MiB)/i,
    )
    expect((await memoryOfServer()) - before).toBeLessThan(200 * 1024)
  })

  test.each([
    ['Grep', ['-rn', '$(touch pwned)', '.']],
    ['Grep', ['; touch pwned']],
    ['Glob', ['-delete']],
    ['Glob', ['.', '-exec', 'touch', 'pwned', ';']],
    ['Grep', ['-f/etc/shadow', 'x']],
    ['LS', ['../..']],
  ])('the call %s %j changes no file of the room', async (name, words) => {
    const files = join(stage.server.dataDir, 'rooms', 'lobby', 'files')
    await mkdir(files, { recursive: true })
    await writeFile(join(files, 'kept.txt'), 'kept\n')
    stage.models.play(calls(name, { arguments: words }), says('done'))
    expect((await ask()).stdout).toContain('done')
    expect(answered()).toMatchObject({ role: 'tool' })
    expect(await readdir(files)).toEqual(['kept.txt'])
  })

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'a sandboxed command leaves no process behind when the server ends by %s',
    async (signal) => {
      const word = mark()
      stage.models.play(calls('Swarm', { arguments: [word] }))
      const asking = ask()
      await expect.poll(() => processesWith(word), { timeout: 20_000 }).toBeGreaterThan(50)
      await stage.restart(signal)
      await expect.poll(() => processesWith(word), { timeout: 5000 }).toBe(0)
      expect((await asking).exitCode).not.toBe(0)
    },
  )
})

describe('a command that takes too long', () => {
  let stage: ModelStage
  beforeAll(async () => {
    stage = await createHoldingStage(3)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  describe.skipIf(lacks('bwrap'))('a command on a server', () => {
    test.each(['Hold', 'Swarm'])(
      'the tool %s ends at the time limit with its children, and people can speak meanwhile',
      async (name) => {
        const word = mark()
        stage.models.play(calls(name, { arguments: [word] }), says('done'))
        const asking = stage.as('rhea', ['ask', 'lobby', '@qwen', 'go'])
        await expect.poll(() => processesWith(word), { timeout: 20_000 }).toBeGreaterThan(0)
        expect((await stage.as('bob', ['say', 'lobby', `still here, ${name}`])).exitCode).toBe(0)
        expect((await stage.as('bob', ['history', 'lobby', '-n', '5'])).stdout).toContain(
          `still here, ${name}`,
        )
        expect((await asking).stdout).toContain('done')
        expect(stage.models.requests.at(-1)?.body.messages.at(-1)).toMatchObject({
          role: 'tool',
          content: expect.stringContaining('[stopped: it ran longer than 3s]') as string,
        })
        await expect.poll(() => processesWith(word), { timeout: 5000 }).toBe(0)
      },
    )
  })
})
