import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AnyServer } from '../support/server.ts'
import { createStageHere, type Stage } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'

let stage: Stage<AnyServer>
beforeAll(async () => {
  stage = await createStageHere({
    config: `
[limits]
rate_burst = 100000
bytes_per_person_day = 0
waiting_messages_per_person = 10
names_per_key = 10
queue_bytes = 65536
stall_s = 300
`,
  })
  await stage.claim('rhea')
  for (const name of ['ann', 'bob', 'dan', 'eve']) await stage.as(name, ['whoami'])
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Opens a session that has shown its room. */
async function inLobby(name: string, key?: string): Promise<SshSession> {
  const session = await stage.open(name, '-T', key)
  await session.waitFor('-- lobby')
  return session
}

/** All that a session printed by the time that it answers. */
async function printed(session: SshSession, name: string): Promise<string> {
  const from = session.output().length
  session.write('/whoami\n')
  return await session.waitFor(new RegExp(`${name} \\(`), from)
}

test('a message that came while the client was stopped waits for the next login when the client is killed', async () => {
  const dan = await inLobby('dan')
  dan.child.kill('SIGSTOP')
  expect(await stage.as('ann', ['msg', 'dan', 'while you sleep'])).toMatchObject({ exitCode: 0 })
  await dan[Symbol.asyncDispose]()
  expect(dan.output()).not.toContain('while you sleep')
  {
    await using again = await stage.open('dan', '-T')
    await again.waitFor(/ann -> you \(.* UTC\): while you sleep/)
    await printed(again, 'dan')
  }
  await using third = await inLobby('dan')
  expect(await printed(third, 'dan')).not.toContain('while you sleep')
})

test('a message for a session that is far behind is not among what is skipped', async () => {
  await using bob = await inLobby('bob')
  await using ann = await inLobby('ann')
  bob.child.kill('SIGSTOP')
  const lines = 1_200
  for (let n = 1; n <= lines; n += 1) ann.write(`${n} ${'z'.repeat(3_900)}\n`)
  // What she wrote comes back to her as well, and may be skipped there: all of it is said when her session has ended.
  ann.write('/quit\n')
  await ann.exit
  await stage.as('eve', ['msg', 'bob', 'not to be skipped'])
  bob.child.kill('SIGCONT')
  await bob.waitFor(/\[\d+ messages skipped\]/)
  await bob.waitFor('not to be skipped')
  expect((await printed(bob, 'bob')).split('not to be skipped')).toHaveLength(2)
})

test('all names of a key fill one share of what may wait for somebody', async () => {
  for (const name of ['pest1', 'pest2', 'pest3']) await stage.as(name, ['whoami'], { key: 'pest' })
  const sent: (number | undefined)[] = []
  for (const name of ['pest1', 'pest1', 'pest1', 'pest2', 'pest3'])
    sent.push((await stage.as(name, ['msg', 'eve', 'spam'], { key: 'pest' })).exitCode)
  expect(sent).toEqual([0, 0, 1, 1, 1])
  expect(await stage.as('ann', ['msg', 'eve', 'important'])).toMatchObject({ exitCode: 0 })
})

test('who is ignored is not heard under another name, as a guest, or by inviting', async () => {
  await using eve = await inLobby('eve')
  eve.write('/ignore pest1\n')
  await eve.waitFor('you ignore pest1 now')
  const from = eve.output().length
  const pest = (name: string, ...words: string[]) => stage.as(name, words, { key: 'pest' })
  expect(await pest('pest1', 'rename', 'pestnew')).toMatchObject({ exitCode: 0 })
  await stage.as('late', ['whoami'], { key: 'pest' })
  for (const name of ['pestnew', 'pest2', 'late', 'ann']) {
    await pest(name, 'msg', 'eve', `to eve from ${name}`)
    await pest(name, 'say', 'lobby', `to all from ${name}`)
  }
  await pest('pestnew', 'create', 'buy-now', '--private')
  await pest('pestnew', 'invite', 'buy-now', 'eve')
  await stage.as('dan', ['say', 'lobby', 'a line of mine'])
  await eve.waitFor('dan: a line of mine', from)
  expect((await printed(eve, 'eve')).slice(from)).not.toMatch(/to eve|to all|invited you/)
  expect((await stage.as('eve', ['rooms'])).stdout).toContain('buy-now')
  await using again = await inLobby('eve')
  expect(await printed(again, 'eve')).not.toMatch(/to eve|to all|invited you/)
  eve.write('/ignore pestnew\n')
  await eve.waitFor('what pestnew says is shown again')
  await pest('pest2', 'say', 'lobby', 'thanks')
  await eve.waitFor('pest2: thanks')
})

test('after a change of name the last line is still one’s own, and so are the reactions', async () => {
  await stage.as('dan', ['say', 'lobby', 'one'])
  await stage.as('dan', ['say', 'lobby', 'two'])
  await stage.as('dan', ['react', 'lobby', '👍'])
  expect(await stage.as('dan', ['rename', 'daniel'])).toMatchObject({ exitCode: 0 })
  const daniel = (...words: string[]) => stage.as('daniel', words, { key: 'dan' })
  expect(await daniel('react', 'lobby', '👍')).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await daniel('history', 'lobby', '-n', '1')).stdout).toContain('daniel took back 👍')
  expect(await daniel('edit', 'lobby', 'two, mended')).toMatchObject({ exitCode: 0, stderr: '' })
  expect(await daniel('retract', 'lobby')).toMatchObject({ exitCode: 0, stderr: '' })
  expect((await stage.as('ann', ['history', 'lobby', '-n', '1'])).stdout).toMatch(
    /daniel took back their line of a moment ago/,
  )
  const { stdout } = await stage.as('ann', ['history', 'lobby', '--json', '-n', '20'])
  expect(stdout).not.toContain('"by"')
})

test('a line with a blank before its slash is neither said nor run', async () => {
  await using ann = await inLobby('ann')
  for (const line of [' /msg bob a secret', '\t/msg bob a secret', '\u200b/msg bob a secret'])
    ann.write(`${line}\n`)
  ann.write('//etc is full\n')
  await ann.waitFor('ann: /etc is full')
  expect(ann.output().split('! nothing was said or done: a blank stands before the slash')).toHaveLength(4)
  expect((await stage.as('bob', ['history', 'lobby'])).stdout).not.toContain('a secret')
})
