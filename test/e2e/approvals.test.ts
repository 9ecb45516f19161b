import { afterEach, beforeEach, expect, test } from 'vitest'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forAllTests } from '../support/for-all-tests.ts'
import { answer, calls, says } from '../support/model-server.ts'
import { lacks } from '../support/needs.ts'
import { createModelStageHere } from '../support/stage.ts'
import type { SshSession } from '../support/ssh.ts'

let alice: SshSession
let bob: SshSession
let entered = 0

const stage = await forAllTests(
  createModelStageHere(
    `
[limits]
approvals_per_room = 3
rate_burst = 1000
`,
    { isShared: true },
  ),
)
await stage.claim('rhea')

beforeEach(async () => {
  alice = await enter('alice')
  bob = await enter('bob')
})
afterEach(async () => {
  await Promise.all([leave(alice), leave(bob)])
})

async function enter(name: string): Promise<SshSession> {
  const session = await stage.open(name, '-T')
  // What a newcomer is shown of the past must not be taken for what happens now.
  const hello = `hello ${++entered}`
  session.write(`${hello}\n`)
  await session.waitFor(`${name}: ${hello}\n`)
  return session
}

/** Ends the session and waits until it is over, so that the next test finds nobody. */
async function leave(session: SshSession): Promise<void> {
  session.close()
  await session.exit
}

/** The next question that a session sees: its number and its text. */
async function question(session: SshSession, from: number): Promise<{ number: string; text: string }> {
  const output = await session.waitFor(/question \d+: may [^]*\/deny \d+\n/, from)
  const [text] = /question \d+: may [^]*?\/deny \d+\n/.exec(output.slice(from))!
  return { text, number: /\d+/.exec(text)![0] }
}

/** What the model was told of its calls, in the request made last. */
const told = (): string[] =>
  stage.models.requests
    .at(-1)!
    .body.messages.filter((message) => message.role === 'tool')
    .map((message) => String(message.content))

const wants = (command: string) => [calls('run_command', { command }), says('that was it')]
/** Needs a permission as a command does, and no sandbox. */
const wantsFile = (file: string) => [
  calls('write_file', { file_path: file, content: 'x' }),
  says('that was it'),
]

/** Lets alice's model want a command, and gives the question. */
async function asks(command: string, who = alice, script = wants(command)) {
  const from = who.output().length
  stage.models.play(...script)
  who.write('@qwen please\n')
  return { ...(await question(who, from)), from }
}

const inLobby = (file: string): string => join(stage.dir, 'data', 'rooms', 'lobby', 'files', file)
const exists = (file: string): Promise<boolean> =>
  readFile(inLobby(file)).then(
    () => true,
    () => false,
  )
const perms = async (who: string, room = 'lobby') =>
  (
    JSON.parse((await stage.as(who, ['perms', room, '--json'])).stdout) as {
      grants: { id: number; target: string; requester: string }[]
    }
  ).grants

test.skipIf(lacks('bwrap'))(
  'a command is shown in full in the question and runs when its requester allows it',
  async () => {
    const { text, from } = await asks('echo one\necho "two  spaces" > made\n\necho three')
    expect(text).toContain('may @qwen, for alice, use run_command (execute)?\n')
    expect(text).toContain('  | echo one\n  | echo "two  spaces" > made\n  | \n  | echo three\n')
    expect(await exists('made')).toBe(false)
    alice.write('/allow\n')
    await alice.waitFor('qwen: that was it', from)
    expect(alice.output().slice(from)).toContain('-- alice: allowed once')
    expect(told()).toEqual(['one\nthree\n'])
    expect(await exists('made')).toBe(true)
    expect(await perms('rhea')).toEqual([])
  },
)

test.skipIf(lacks('bwrap'))('a question shows a command without its invisible characters', async () => {
  const { text, number, from } = await asks('ls\u202e \u200b# x\r\u001b[2Krm')
  expect(text).toContain('  | ls # x\n  | rm\n  alice or an op')
  alice.write(`/deny ${number}\n`)
  await alice.waitFor('qwen: that was it', from)
})

test('a question escapes invisible characters of a file, and the file is written with them', async () => {
  const content = 'one\u200b\r\ntwo'
  const { text, number, from } = await asks('', alice, [
    calls('write_file', { file_path: 'exact', content }),
    says('that was it'),
  ])
  expect(text).toContain('  | write exact:\n  | one\\u{200b}\\u{d}\n  | two\n')
  expect(alice.output().slice(from)).not.toContain('Executing')
  alice.write(`/allow ${number}\n`)
  await alice.waitFor('qwen: that was it', from)
  expect(alice.output().slice(from)).toContain(`Executing tool: write_file {"file_path":"exact",`)
  expect(await readFile(inLobby('exact'), 'utf8')).toBe(content)
  const { stdout } = await stage.as('alice', ['history', 'lobby', '--json', '-n', '10'])
  const call = stdout.split('\n').find((line) => line.includes('"tool_call"'))
  expect(JSON.parse(call!)).toMatchObject({ arguments: { content: 'one\ntwo' } })
})

test('a question about a change of a file shows the lines that differ, and /turn repeats it', async () => {
  await mkdir(dirname(inLobby('list')), { recursive: true })
  await writeFile(inLobby('list'), 'a\nb\nc\nd\ne\nf\ng\nh\n')
  const { text, number, from } = await asks('', alice, [
    calls('edit_file', { file_path: 'list', old_text: 'e', new_text: 'E' }),
    says('that was it'),
  ])
  const rows = ['edit list:', '… 1 line as before', '  2  b', '  3  c', '  4  d', '- 5  e', '+ 5  E']
  const shown = [...rows, '  6  f', '  7  g', '  8  h'].map((row) => `| ${row}\n`)
  expect(text).toContain(shown.map((row) => `  ${row}`).join(''))
  alice.write(`/deny ${number}\n`)
  await alice.waitFor('qwen: that was it', from)
  expect((await stage.as('alice', ['turn', 'lobby', 'last'])).stdout).toContain(shown.join(''))
  expect((await stage.as('alice', ['turn', 'lobby', '--html', 'last'])).stdout).toContain(shown.join(''))
})

test.skipIf(lacks('bwrap'))('a question can be allowed by an op, but not by another member', async () => {
  const { number, from } = await asks('echo by the op')
  const bobFrom = bob.output().length
  bob.write(`/allow ${number}\n/allow\n/deny\n`)
  await bob.waitFor(/(! only alice.*\n[^]*){3}/, bobFrom)
  expect((await stage.as('bob', ['allow', 'lobby', number])).stderr).toMatch(/^only alice, the owner/m)
  expect(await stage.as('rhea', ['allow', 'lobby', 'once', number])).toMatchObject({
    exitCode: 0,
    stdout: `allowed once (question ${number}: run_command for alice)\n`,
  })
  await alice.waitFor('qwen: that was it', from)
  expect(told()).toEqual(['by the op\n'])
})

test.skipIf(lacks('bwrap'))(
  "a denied call does not run, and the model's next call can still be allowed",
  async () => {
    const from = alice.output().length
    const index = (at: number, command: string) => ({
      call: { index: at, id: `c${at}`, name: 'run_command', arguments: JSON.stringify({ command }) },
    })
    stage.models.play(answer([index(0, 'touch denied'), index(1, 'echo next')]), says('that was it'))
    alice.write('@qwen please\n')
    await question(alice, from)
    alice.write('/deny\n')
    await alice.waitFor('-- alice: denied', from)
    const second = await question(alice, alice.output().indexOf('-- alice: denied', from))
    alice.write(`/allow ${second.number}\n`)
    await alice.waitFor('qwen: that was it', from)
    expect(told()).toEqual(["ERROR: Permission denied: run 'touch denied'? (denied by alice)", 'next\n'])
    expect(await exists('denied')).toBe(false)
  },
)

test('a question is denied when its requester leaves, even if other people stay', async () => {
  const { number } = await asks('left', alice, wantsFile('left'))
  const before = stage.models.requests.length
  const from = bob.output().length
  await leave(alice)
  await bob.waitFor('-- system: denied: alice left', from)
  await stage.models.arrived(before + 1)
  expect(told()).toEqual(["ERROR: Permission denied: write 'left'? (alice left)"])
  expect((await stage.as('rhea', ['allow', 'lobby', number])).stderr).toContain(
    `question ${number} is not open in lobby\n`,
  )
  alice = await enter('alice')
  expect(await exists('left')).toBe(false)
})

test('a question is denied with the reason when its tool is turned off', async () => {
  const { from, number } = await asks('off', alice, wantsFile('off'))
  await stage.as('rhea', ['tools', 'lobby', '!write_file'])
  await alice.waitFor('denied: it was turned off meanwhile (write_file for alice)', from)
  alice.write(`/allow ${number}\n`)
  await alice.waitFor(`! question ${number} is not open`, from)
  await alice.waitFor('qwen: that was it', from)
  await stage.as('rhea', ['tools', 'lobby', 'on'])
  expect(told()).toEqual(["ERROR: Permission denied: write 'off'? (it was turned off meanwhile)"])
  expect(await exists('off')).toBe(false)
})

test.skipIf(lacks('bwrap'))(
  'a permission of /allow room covers one person, room and command until it is revoked',
  async () => {
    const first = await asks('echo again')
    alice.write('/allow room\n')
    await alice.waitFor('qwen: that was it', first.from)
    const from = alice.output().length
    stage.models.play(...wants('echo again'))
    alice.write('@qwen please\n')
    await alice.waitFor('qwen: that was it', from)
    expect(alice.output().slice(from)).not.toContain('question')

    const other = await asks('echo again ')
    alice.write('/deny\n')
    await alice.waitFor('qwen: that was it', other.from)
    const bobs = await asks('echo again', bob)
    bob.write('/deny\n')
    await bob.waitFor('qwen: that was it', bobs.from)
    await stage.as('alice', ['create', 'den'])
    alice.write('/join den\n')
    await alice.waitFor(/[-─]\S* den/)
    const den = await asks('echo again')
    alice.write('/deny\n')
    await alice.waitFor('qwen: that was it', den.from)
    const back = alice.output().length
    alice.write('/join lobby\n')
    await alice.waitFor('-- lobby\n', back)

    const [grant] = await perms('alice')
    expect(grant).toMatchObject({ requester: 'alice', tool: 'run_command', target: 'echo again' })
    expect(await perms('bob')).toEqual([])
    expect(await perms('rhea')).toEqual([grant])
    expect((await stage.as('bob', ['perms', 'lobby', 'revoke', String(grant!.id)])).exitCode).toBe(1)
    alice.write(`/perms\n/perms revoke ${grant!.id}\n`)
    await alice.waitFor(/run_command for alice, for (8h|7h 59m), allowed by alice\n/)
    await alice.waitFor(`revoked permission ${grant!.id} (run_command for alice)`)
    const after = await asks('echo again')
    alice.write('/deny\n')
    await alice.waitFor('qwen: that was it', after.from)
  },
)

test.skipIf(lacks('bwrap'))(
  'a permission of /allow always survives a restart, but an open question does not',
  async () => {
    const { from } = await asks('echo for good')
    alice.write('/allow always\n')
    await alice.waitFor('! only the owner of lobby, an op or an admin can allow question', from)
    expect((await stage.as('rhea', ['allow', 'lobby', 'always'])).exitCode).toBe(0)
    await alice.waitFor('qwen: that was it', from)
    await asks('touch never', alice, wants('touch never').slice(0, 1))
    await stage.restart('SIGTERM')
    alice = await enter('alice')
    const later = alice.output().length
    stage.models.play(...wants('echo for good'))
    alice.write('@qwen please\n')
    await alice.waitFor('qwen: that was it', later)
    expect(alice.output().slice(later)).not.toContain('question')
    expect(told()).toEqual(['for good\n'])
    alice.write('/allow\n')
    await alice.waitFor('! no question is open in lobby', later)
    expect(await exists('never')).toBe(false)
    bob = await enter('bob')
  },
)

test.skipIf(lacks('bwrap'))('/allow always is rejected for a command with network access', async () => {
  const before = await perms('rhea')
  const wantsNetwork = calls('run_command', { command: 'echo for good', network: true })
  const alone = alice.output().length
  stage.models.play(wantsNetwork, says('nobody was there'))
  alice.write('@qwen please\n')
  await alice.waitFor('qwen: nobody was there', alone)
  expect(told()).toEqual([
    "ERROR: Permission denied: run 'echo for good' with the network? (only an admin can allow it, and none is in lobby)",
  ])
  await using rhea = await stage.open('rhea', '-T')
  await rhea.waitFor('rhea joined')
  const from = alice.output().length
  stage.models.play(wantsNetwork, says('that was it'))
  alice.write('@qwen please\n')
  const { text, number } = await question(alice, from)
  expect(text).toContain('(with the network)')
  expect(text).not.toContain('always')
  alice.write(`/allow always ${number}\n/allow ${number}\n`)
  await alice.waitFor(/(! only an admin can allow question[^]*){2}/, from)
  expect((await stage.as('rhea', ['allow', 'lobby', 'always'])).stderr).toContain('only once')
  alice.write('/deny\n')
  await alice.waitFor('qwen: that was it', from)
  expect(await perms('rhea')).toEqual(before)
})

test.skipIf(lacks('bwrap'))(
  '/allow needs a number if several questions are open, and a question over the limit is denied',
  async () => {
    const from = alice.output().length
    for (const name of ['a', 'b', 'c', 'd'])
      alice.write(`/run run_command {"command":"echo ${name} > ${name}"}\n`)
    await alice.waitFor('denied: 3 questions are open here already', from)
    await alice.waitFor(/(question \d+: may [^]*){3}/, from)
    // Commands that are typed at once ask in any order.
    const asked = [
      ...alice
        .output()
        .slice(from)
        .matchAll(/question (\d+): may alice use[^]*?echo (\w)/g),
    ]
    const open = asked.map((one) => one[1]!)
    alice.write('/allow\n')
    await alice.waitFor(`! several questions are open: ${open.join(', ')}; say which one`, from)
    alice.write(`/allow ${open[1]}\n/deny ${open[0]}\n/deny ${open[2]}\n/allow ${open[1]}\n`)
    await alice.waitFor(`! question ${open[1]} is not open in lobby`, from)
    await alice.waitFor(/run_command: (?!ERROR).*\(\d.*B\)/, from)
    const allowed = asked[1]![2]
    for (const name of ['a', 'b', 'c', 'd'])
      expect([name, await exists(name)]).toEqual([name, name === allowed])
  },
)

test('y at a terminal answers the only question, and Esc answers none', async () => {
  await using zoe = await stage.open('zoe', '-tt')
  await zoe.waitFor(/\/help lists/)
  stage.models.play(...wantsFile('y.txt'))
  zoe.write('@qwen go\r')
  await zoe.waitFor(/y · n · \/allow room/)
  // The second key ends the sequence: Esc and `y` at once are Alt-Y.
  zoe.write('\u001b\u007f')
  let answer = ''
  while (!answer.includes('allowed once')) {
    const from = zoe.output().length
    zoe.write('y\r')
    answer = (await zoe.waitFor(/has just come|allowed once|denied/, from)).slice(from)
    expect(answer).not.toContain('denied')
  }
  await zoe.waitFor('that was it')
  expect((await stage.as('zoe', ['history', 'lobby'])).stdout).not.toMatch(/zoe: y$/m)
})

test('the row of an open question stays behind in its room', async () => {
  await using yan = await stage.open('yan', '-tt')
  await yan.waitFor(/\/help lists/)
  const { number } = await asks('', alice, wantsFile('stays.txt'))
  await yan.waitFor(`question ${number}`)
  await yan.waitFor(/not allowed yet/)
  const from = yan.output().length
  yan.write('/create elsewhere\r')
  await yan.waitFor('elsewhere · 1 here', from)
  alice.write(`/deny ${number}\n`)
  await alice.waitFor('that was it')
  const moved = yan.output().length
  for (const word of ['one', 'two', 'three']) {
    yan.write(`${word}\r`)
    await yan.waitFor(new RegExp(`(yan:|·)\\S* ${word}`), moved)
  }
  expect(yan.output().slice(moved)).not.toContain('not allowed yet')
})
