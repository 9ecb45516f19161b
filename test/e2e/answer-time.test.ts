import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/config.ts'
import { memoryLog } from '../support/chat-parts.ts'
import { createSshHome, openSsh } from '../support/ssh.ts'

test('a question that nobody answers in time is a no, and the room goes on', async () => {
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
