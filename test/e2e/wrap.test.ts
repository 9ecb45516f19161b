import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { calls, says } from '../support/model-server.ts'
import { createModelStageHere } from '../support/stage.ts'

const stage = await forAllTests(
  createModelStageHere(
    `
context_window = 16000

[limits]
rate_burst = 1000
`,
    { isShared: true },
  ),
)
await stage.claim('rhea')

const rhea = (words: readonly string[], input?: string) =>
  stage.as('rhea', words, input === undefined ? {} : { input })
const out = async (words: readonly string[], input?: string): Promise<string> => {
  const { stdout, stderr, exitCode } = await rhea(words, input)
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout
}
const createRoom = async (name: string): Promise<void> => void (await out(['create', name]))
const failing = 'function default_wrap(t)\n  local x = nil\n  return x.y\nend'

test('the script of a room has dated versions that can be shown, and it can be reset', async () => {
  await createRoom('den')
  const first = 'function default_wrap(t) return wrap(t):system() end -- größer'
  const second = 'function default_wrap(t) return wrap(t):system():room() end'
  expect(await out(['script', 'den', 'show'])).toMatch(/^-- no script is set/)
  expect(await out(['script', 'den', 'versions'])).toBe('no script was ever set\n')
  await out(['script', 'den', 'set'], first)
  expect(await out(['script', 'den', 'set'], second)).toBe("rhea set the room's script (version 2)\n")
  expect(await out(['script', 'den', 'show'])).toBe(`${second}\n`)
  expect(await out(['script', 'den', 'show', '1'])).toBe(`${first}\n`)
  expect(await out(['script', 'den', 'reset'])).toBe("rhea reset the room's script (version 3)\n")
  expect((await out(['script', 'den', 'versions'])).split('\n').slice(0, 3)).toEqual([
    expect.stringMatching(/^3 {2}\d+ \w{3} 20\d\d \d\d:\d\d UTC {2}rhea {2}reset$/),
    expect.stringMatching(/^2 {2}[\w :]+ {2}rhea {2}59 characters$/),
    expect.stringMatching(/^1 {2}[\w :]+ {2}rhea {2}62 characters$/),
  ])
  expect(await out(['history', 'den'])).toContain("-- rhea set the room's script (version 2)")
  expect(await rhea(['script', 'den', 'show', '7'])).toMatchObject({
    exitCode: 1,
    stderr: 'den has no script version 7; script versions lists them\n',
  })
  expect((await rhea(['script', 'den', 'nope'])).exitCode).toBe(2)
  expect((await rhea(['script', 'den', 'reset', 'now'])).exitCode).toBe(2)
})

test('a hook posts a line and asks a model as the person who set the script, but not in a fork', async () => {
  await createRoom('alerts')
  const source = `function default_wrap(t) return wrap(t):system():history() end
    function on_message(entry)
      if entry.text == "hello" then return { say = "hello, " .. entry.author } end
      if entry.text:find("^alert") then return { ask = "@qwen", text = "what now?" } end
    end
    function on_program_line(entry) return { say = "a program said: " .. entry.text } end`
  await out(['script', 'alerts', 'set'], source)
  const log = () => out(['history', 'alerts'])
  expect((await stage.as('bob', ['say', 'alerts', 'hello'])).exitCode).toBe(0)
  await expect.poll(log, { timeout: 20_000 }).toContain('rhea (routine 0): hello, bob\n')
  stage.models.play(says('free some space'))
  expect((await stage.as('bob', ['say', 'alerts', 'alert: the disk is full'])).exitCode).toBe(0)
  await expect.poll(log, { timeout: 20_000 }).toContain('qwen: free some space\n')
  expect(await log()).toContain('rhea (routine 0): @qwen what now?\n')
  expect((await stage.as('bob', ['say', 'alerts', '-'], { input: 'by a pipe' })).exitCode).toBe(0)
  await expect.poll(log, { timeout: 20_000 }).toContain('rhea (routine 0): a program said: by a pipe\n')
  await out(['fork', 'alerts', 'copied'])
  expect((await stage.as('bob', ['say', 'copied', 'hello'])).exitCode).toBe(0)
  await expect
    .poll(() => out(['script', 'copied', 'log']), { timeout: 20_000 })
    .toContain('set the script again to let it speak')
  expect(await out(['history', 'copied'])).not.toContain('(routine 0)')
})

test('only the owner can set the script of a room, and an invalid script is not stored', async () => {
  await createRoom('strict')
  const source = 'function default_wrap(t) return wrap(t):system() end'
  expect(await stage.as('mallory', ['script', 'strict', 'set'], { input: source })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('only the owner of strict') as unknown,
  })
  for (const [bad, reason] of [
    [failing, /^@qwen: script:3: attempt to index a nil value \(local 'x'\)\n$/],
    ['x = = 1', /^(@(guide|qwen): )?script:1: unexpected symbol near '='\n$/],
    ['', /^there is no script: give it on standard input\n$/],
    ['return 1 \0 + 1', /^a script is text; this one has a NUL byte in it\n$/],
    ['\u001bLua', /^(@(guide|qwen): )?script:1: unexpected symbol/],
    [
      'function default_wrap() return 7 end',
      /^(@(guide|qwen): )?script:1: wrap: default_wrap must return what wrap\(\) gave, it returned 7\n$/,
    ],
    [`--${'x'.repeat(70_000)}`, /^(a script has at most 65536 characters|standard input is longer than)/],
  ] as const) {
    for (const action of ['check', 'set']) {
      const { exitCode, stderr } = await rhea(['script', 'strict', action], bad)
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(reason)
    }
  }
  expect(await out(['script', 'strict', 'versions'])).toBe('no script was ever set\n')
})

test('a script that fails at a mention is reported in the room, and no request is sent', async () => {
  await createRoom('broken')
  const source = `function default_wrap(t)
  if tools.room_kv_get("mode") == "on" then
    error("no\\27[2J mode")
  end
  return wrap(t):system()
end`
  await out(['script', 'broken', 'set'], source)
  await out(['kv', 'broken', 'mode', 'on'])
  const before = stage.models.requests.length
  const { exitCode, stderr } = await rhea(['ask', 'broken', '@qwen', 'hi'])
  expect(exitCode).toBe(1)
  expect(stderr).toBe('script:3: no mode\n')
  expect(await out(['history', 'broken', '-n', '1'])).toMatch(/-- script:3: no mode\n$/)
  expect(stage.models.requests.length).toBe(before)
  await out(['kv', 'broken', 'mode', '-'])
  stage.models.play(says('well again'))
  expect(await out(['ask', 'broken', '@qwen', 'hi'])).toBe('well again\n')
})

test('escape sequences of a script are removed from the output of /wrap and /script', async () => {
  await createRoom('paint')
  const source = `function default_wrap(t)
  tools.log("in\\27[31mfo", "text \\u{9b}2J\\u{202e}")
  return wrap(t):system():custom("ev\\27]0;x\\7il", "\\27[2J\\u{9b}31mtext\\u{202e}", 60, false)
end`
  await out(['script', 'paint', 'set'], source)
  for (const words of [
    ['wrap', 'paint', '@qwen'],
    ['wrap', 'paint', '@qwen', 'full'],
    ['wrap', 'paint', '@qwen', '--json'],
    ['script', 'paint', 'show'],
  ])
    expect(await out(words)).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u)
  const { context } = JSON.parse(await out(['wrap', 'paint', '@qwen', '--json'])) as { context: string }
  expect(context).toBe('\u001b[2J\u009b31mtext\u202e')
})

test('models read only lines after the checkpoint until it is cleared, and people read all', async () => {
  await createRoom('long')
  const context = async (): Promise<string> =>
    (JSON.parse(await out(['wrap', 'long', '@qwen', '--json'])) as { context: string }).context
  await out(['say', 'long', 'the old plan'])
  expect(await out(['checkpoint', 'long'])).toMatch(/^no checkpoint is set/)
  expect(await out(['checkpoint', 'long', 'v2'])).toMatch(/^rhea set checkpoint v2/)
  await out(['say', 'long', 'the new plan'])
  expect(await context()).toContain('the new plan')
  expect(await context()).not.toContain('the old plan')
  expect(await out(['checkpoint', 'long'])).toMatch(/^v2, set by rhea \d+ \w{3} 20/)
  expect(await out(['history', 'long'])).toContain('the old plan')
  expect((await stage.as('mallory', ['checkpoint', 'long', 'clear'])).exitCode).toBe(1)
  expect(await out(['checkpoint', 'long', 'clear'])).toMatch(/^rhea cleared the checkpoint/)
  expect(await context()).toContain('the old plan')
  expect((await rhea(['checkpoint', 'long', 'clear'])).stderr).toBe('no checkpoint is set\n')
  expect((await rhea(['checkpoint', 'long', 'a/b'])).exitCode).toBe(1)
})

test('/turn shows each request of a past turn as the provider received it', async () => {
  await createRoom('past')
  const first = stage.models.requests.length
  stage.models.play(calls('calculator', { expression: '6*7' }), says('42'))
  expect(await out(['ask', 'past', '@qwen', 'what is 6*7?'])).toContain('42')
  const entries = (await out(['history', 'past', '--json'])).trim().split('\n')
  const { turn } = JSON.parse(entries.at(-1)!) as { turn: string }
  const { requests, outcome } = JSON.parse(await out(['turn', 'past', turn, '--json'])) as {
    readonly outcome: string
    readonly requests: readonly {
      readonly system: string
      readonly user: string
      readonly messages: readonly { readonly role: string; readonly content?: string }[]
      readonly tools: unknown
    }[]
  }
  expect(outcome).toBe('done')
  expect(requests).toHaveLength(2)
  for (const [index, request] of requests.entries()) {
    const { body } = stage.models.requests[first + index]!
    expect(body.messages[0]).toEqual({ role: 'system', content: request.system })
    expect(body.messages[1]).toEqual({ role: 'user', content: request.user })
    expect(body.messages.length).toBe(2 + request.messages.length)
    expect(JSON.stringify(body.tools!.map((tool) => tool.function))).toBe(JSON.stringify(request.tools))
  }
  expect(requests[1]!.messages.at(-1)).toMatchObject({
    role: 'tool',
    content: stage.models.requests.at(-1)!.body.messages.at(-1)!.content,
  })
  const shown = await out(['turn', 'past', turn])
  expect(shown).toMatch(/^-- turn \w{26}: @qwen for rhea: done; 2 requests\n-- request 1\n-- system\n/)
  expect(shown).toContain(requests[0]!.system)
  expect(shown).toContain(
    '-- request 2\n-- system: as before\n-- user: as before\n-- answer\ncalculator {"expression":"6*7"}\n-- result of calculator\n42\n-- tools: as before\n',
  )
  expect(await out(['turn', 'past', turn, '2'])).not.toContain('-- request 1')
  expect((await rhea(['turn', 'past', turn, '3'])).stderr).toMatch(
    /^turn: there is no request 3; requests are 1 to 2/,
  )
  expect((await rhea(['turn', 'lobby', turn])).exitCode).toBe(1)
})

test('/wrap on a terminal draws a bar in colour', async () => {
  await using session = await stage.open('rhea', '-tt')
  await session.waitFor('lobby')
  session.write('/wrap @qwen\r')
  await session.waitFor('for the answer')
  expect(session.output()).toMatch(/\u001b\[[\d;]+m█+\u001b\[0m\u001b\[[\d;]+m[▒▚]+\u001b\[0m/)
})
