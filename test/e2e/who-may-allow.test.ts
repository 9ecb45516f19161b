import { readFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { calls, says } from '../support/model-server.ts'
import { operator } from '../support/operator.ts'
import type { AnyServer } from '../support/server.ts'
import { createModelStageHere, createStageHere, type ModelStage, type Stage } from '../support/stage.ts'
import { writeConfig } from '../support/stored.ts'
import { type SshSession, createSshHome, openSsh } from '../support/ssh.ts'
import { createApp } from '../../src/server/app.ts'
import { loadConfig } from '../../src/server/config/config.ts'
import { memoryLog } from '../support/chat-parts.ts'

const enter = async (stage: Stage<AnyServer>, name: string, mode: '-T' | '-tt' = '-T') => {
  const session = await stage.open(name, mode)
  session.write(`hello from ${name}\n`)
  await session.waitFor(`hello from ${name}`)
  return session
}

const wants = (file: string): string => `/run write_file {"file_path":"${file}","content":"x"}\n`

/** Asks to write a file, and resolves with the question and where the output began. */
async function asks(session: SshSession, line: string) {
  const from = session.output().length
  session.write(line)
  const output = await session.waitFor(/question \d+: may [^]*\/deny \d+\n/, from)
  const [text, number = ''] = /question (\d+): may [^]*?\/deny \d+\n/.exec(output.slice(from))!
  return { text, number, from }
}

describe('[tools] allow', () => {
  let stage: ModelStage<AnyServer>
  let alice: SshSession
  let usual: string

  beforeAll(async () => {
    stage = await createModelStageHere('\n[limits]\nrate_burst = 1000\n', { isShared: true })
    usual = await readFile(`${stage.server.dataDir}.toml`, 'utf8')
    await stage.claim('rhea')
    await stage.as('olga', ['whoami'])
    await stage.as('rhea', ['op', 'lobby', 'olga'])
    alice = await enter(stage, 'alice')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  /** Writes the rules into the config, and has the server read it again. */
  async function rule(rules: string): Promise<void> {
    await writeConfig(stage.server.dataDir, `${usual}\n[tools]\nallow = { ${rules} }\n`)
    const { stdout, stderr } = await operator(['reload', '--data', stage.server.dataDir])
    expect(stderr + stdout).not.toContain('needs a restart')
  }

  const exists = (file: string): Promise<boolean> =>
    readFile(join(stage.dir, 'data', 'rooms', 'lobby', 'files', file)).then(
      () => true,
      () => false,
    )

  test('a call that needs an op is denied at once if no op is in the room', async () => {
    await rule('write = "ops"')
    const from = alice.output().length
    alice.write(wants('alone'))
    await alice.waitFor('denied: only an op can allow it, and none is in lobby', from)
    expect(await exists('alone')).toBe(false)
  })

  test('a call that needs an op can be allowed by an op, but not by its requester', async () => {
    await rule('write = "ops"')
    await using _ = await enter(stage, 'olga')
    const { text, number, from } = await asks(alice, wants('by-an-op'))
    expect(text).toContain('an op of this room answers within')
    alice.write(`/allow ${number}\n`)
    const refusal = `only the owner of lobby, an op or an admin can allow question ${number}`
    await alice.waitFor(`! ${refusal}`, from)
    const script = await stage.as('alice', ['allow', 'lobby', number])
    expect(script).toMatchObject({ exitCode: 1, stderr: `${refusal}\n` })
    expect(await exists('by-an-op')).toBe(false)
    expect((await stage.as('olga', ['allow', 'lobby', number])).exitCode).toBe(0)
    await alice.waitFor('olga: allowed once', from)
    await expect.poll(() => exists('by-an-op')).toBe(true)
  })

  test('the status line shows an op how to answer, and other people that an op is needed', async () => {
    await rule('write = "ops"')
    await using bob = await enter(stage, 'bob', '-tt')
    await using olga = await enter(stage, 'olga', '-tt')
    const { number, from } = await asks(alice, wants('seen'))
    await olga.waitFor(`question ${number}: ${number} allows, or /deny ${number}`)
    await bob.waitFor(`question ${number} waits for an op`)
    expect(bob.output()).not.toContain(`question ${number}: ${number} or`)
    alice.write('/deny\n')
    await alice.waitFor('-- alice: denied', from)
  })

  test('a call that nobody may allow is denied without a question, and the model reads the reason', async () => {
    await rule('write = "nobody"')
    await using _ = await enter(stage, 'olga')
    const from = alice.output().length
    stage.models.play(calls('write_file', { file_path: 'never', content: 'x' }), says('that was it'))
    alice.write('@qwen please\n')
    await alice.waitFor('qwen: that was it', from)
    expect(alice.output().slice(from)).not.toContain('question')
    const told = stage.models.requests.at(-1)!.body.messages.findLast(({ role }) => role === 'tool')
    expect(told!.content).toBe(
      "ERROR: Permission denied: write 'never'? (nobody may allow write on this server)",
    )
    const named = await stage.as('rhea', [
      'run',
      '--allow',
      'write_file',
      'lobby',
      ...wants('never').slice(5).trim().split(' '),
    ])
    expect(named.stderr).toContain('nobody may allow write on this server')
    expect(await exists('never')).toBe(false)
  })

  test('a reading tool is denied if allow.read is "nobody"', async () => {
    const sum = ['run', 'lobby', 'calculator', '{"expression":"2+2"}']
    await rule('read = "nobody"')
    expect((await stage.as('alice', sum)).stderr).toContain('nobody may allow read on this server')
    await rule('read = "requester"')
    expect((await stage.as('alice', sum)).stdout).toBe('4\n')
  })

  test('a permission granted by a requester still applies after a reload to "ops"', async () => {
    await rule('write = "requester"')
    const { number, from } = await asks(alice, wants('granted'))
    alice.write(`/allow room ${number}\n`)
    await alice.waitFor('allowed here for 8h', from)
    await rule('write = "ops"')
    const later = alice.output().length
    alice.write(wants('granted'))
    await alice.waitFor('Executing tool: write_file', later)
    expect(alice.output().slice(later)).not.toMatch(/question|denied/)
  })
})

describe('a server that strangers can enter', () => {
  const OPEN = '[server]\naccess = "open"\n[tools.web]\nfetch = true\n'
  let stage: Stage<AnyServer>
  beforeAll(async () => {
    stage = await createStageHere({ config: OPEN, host: '0.0.0.0', isShared: true })
    await stage.claim('rhea')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('an open server needs an op for network tools, but only the requester for file tools', async () => {
    await using alice = await enter(stage, 'alice')
    await using _ = await enter(stage, 'rhea')
    const page = await asks(alice, '/run web_fetch {"url":"https://example.org/"}\n')
    expect(page.text).toContain('(network)?')
    expect(page.text).toContain('an op of this room answers within')
    alice.write(`/allow ${page.number}\n/deny ${page.number}\n`)
    await alice.waitFor(`an op or an admin can allow question ${page.number}`, page.from)
    await alice.waitFor('-- alice: denied', page.from)
    const file = await asks(alice, wants('hers'))
    expect(file.text).toContain('alice or an op answers within')
    alice.write(`/allow ${file.number}\n`)
    await alice.waitFor('-- alice: allowed once', file.from)
  })

  test('sshawl check warns if everybody can log in and allow themselves execute', async () => {
    const file = `${stage.server.dataDir}.toml`
    const check = async (config: string, listen: string): Promise<string> => {
      await writeConfig(stage.server.dataDir, config)
      return (
        await operator(['check', '--config', file, '--data', join(stage.dir, 'none')], {
          SSHAWL_LISTEN: listen,
        })
      ).stdout
    }
    const warning =
      'warning: tools.allow: anybody can come in (access = "open") and allow themselves execute; ' +
      'write execute = "ops", or access = "invite"'
    const lent = `${OPEN}[tools.allow]\nexecute = "requester"\n`
    expect(await check(lent, '0.0.0.0:2222')).toContain(`${warning}\n`)
    expect(await check(lent, '127.0.0.1:2222')).not.toContain('tools.allow')
    expect(await check(OPEN, '0.0.0.0:2222')).not.toContain('tools.allow')
  })
})

test('a question without an answer is denied after the timeout', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sshawl-time-'))
  await using home = await createSshHome()
  const flags = { listen: '127.0.0.1:0', data: dir }
  const config = loadConfig({ verb: 'serve', flags }, { HOME: dir })
  try {
    await using app = await createApp(config, { answerMs: 30, log: memoryLog() })
    const { port } = await app.listen()
    await using alice = openSsh({ user: 'alice', port, key: await home.key('alice'), options: ['-T'] })
    await alice.waitFor('alice joined')
    alice.write('@guide call write_file {"file_path":"late","content":"x"}\n')
    await alice.waitFor('alice or an op answers within 30ms')
    await alice.waitFor('-- system: denied: nobody answered within 30ms (write_file for alice)')
    await alice.waitFor("guide: ERROR: Permission denied: write 'late'?")
    alice.write('/allow\n')
    await alice.waitFor('! no question is open in lobby')
    expect(existsSync(join(dir, 'rooms', 'lobby', 'files', 'late'))).toBe(false)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
