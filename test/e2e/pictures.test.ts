import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseHTML } from 'linkedom'
import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { answer } from '../support/model-server.ts'
import { pngOf } from '../support/pictures.ts'
import { scp } from '../support/scp.ts'
import { createModelStageHere } from '../support/stage.ts'

const BLIND = `
[[models]]
name = "blind"
backend = "openai-compatible"
model = "m"
endpoint = "http://127.0.0.1:9/v1"
encoding = "r50k_base"
images = false
`
const stage = await forAllTests(createModelStageHere(`images = true\n${BLIND}`, { isShared: true }))
await stage.claim('rhea')

const png = pngOf(64, 48)

async function makeRoom(name: string): Promise<void> {
  expect(await stage.as('rhea', ['create', name])).toMatchObject({ exitCode: 0 })
}

async function put(room: string, name: string, content: Buffer): Promise<void> {
  await writeFile(join(stage.dir, name), content)
  expect(await scp(stage, 'rhea', [name, `host:${room}/`])).toMatchObject({ exitCode: 0, stderr: '' })
}

const as = async (...words: readonly string[]): Promise<string> => {
  const { stdout, exitCode } = await stage.as('rhea', words)
  expect(exitCode).toBe(0)
  return stdout
}

const budgetOf = async (room: string, ...more: readonly string[]): Promise<Record<string, number>> =>
  (JSON.parse(await as('wrap', room, '--json', '@qwen', ...more)) as { budget: Record<string, number> })
    .budget

test('the line about a picture from scp says how to download it, and a model gets it', async () => {
  await makeRoom('seen')
  const session = await stage.open('rhea', '-T')
  await session.waitFor('lobby')
  session.write('/join seen\n')
  await session.waitFor('-- seen')
  await put('seen', 'p.png', png)
  await session.waitFor(
    /-- rhea: put p\.png \(PNG picture, \d+ B\); .*to get it: ssh HOST files seen p\.png > p\.png/,
  )
  await session[Symbol.asyncDispose]()

  stage.models.play(answer([{ text: 'yes' }], { usage: [2_000, 1] }))
  await as('ask', 'seen', '@qwen', 'are you there?')
  const { target } = await budgetOf('seen')
  const previewed = await as('wrap', 'seen', '@qwen', 'what is in p.png?')
  expect(previewed).toMatch(
    /pictures +1024 [^]*p\.png: PNG, 64 × 48, \d+ B, 1024 tokens, sha256\s+[0-9a-f]{12}/,
  )
  const expected = await budgetOf('seen', 'what is in p.png?')
  stage.models.play(answer([{ text: 'a black field' }], { usage: [90_000, 3] }))
  expect(await as('ask', 'seen', '@qwen', 'what is in p.png?')).toContain('a black field')

  const sent = JSON.stringify(stage.models.requests.at(-1)!.body.messages.at(-1))
  expect(sent).toContain(`"url":"data:image/png;base64,${png.toString('base64')}"`)
  expect(sent).toContain('[picture p.png: PNG, 64 × 48, ')
  const turn = await as('turn', 'seen', '--json')
  expect(JSON.parse(turn)).toMatchObject({ prompt: { budget: expected } })
  expect(expected).toMatchObject({ pictures: 1024 })
  expect(turn).not.toContain(png.toString('base64'))
  expect(await as('turn', 'seen')).toMatch(/p\.png: PNG, 64 × 48, \d+ B, 1024 tokens, sha256 [0-9a-f]{12}/)
  expect(await as('usage', 'seen')).toContain('92000')
  expect((await budgetOf('seen'))['target']).toBe(target)
})

test('a model without image input gets only facts of a picture, and the person reads why', async () => {
  await makeRoom('unseen')
  await put('unseen', 'p.png', png)
  expect(await as('wrap', 'unseen', '@blind', 'what is in p.png?')).toContain(
    '! @blind does not see p.png: it takes no pictures',
  )
  await stage.as('rhea', ['ask', 'unseen', '@blind', 'what is in p.png?'])
  expect(await as('history', 'unseen')).toContain('-- @blind does not see p.png: it takes no pictures')
  expect(await as('turn', 'unseen', 'full')).toMatch(
    /\[picture p\.png: PNG, 64 × 48, \d+ B; you do not see it\]/,
  )
})

test('files NAME gives the bytes of a picture to a pipe, and its dimensions to a session', async () => {
  await makeRoom('bytes')
  await put('bytes', 'p.png', png)
  const piped = await stage.as('rhea', ['files', 'bytes', 'p.png'])
  expect(piped).toMatchObject({ exitCode: 0, stdout: png.toString('utf8') })
  const session = await stage.open('rhea', '-T')
  await session.waitFor('lobby')
  session.write('/join bytes\n/files p.png\n')
  await session.waitFor(/p\.png: PNG, 64 × 48, \d+ B; to get it: ssh HOST files bytes p\.png > p\.png/)
  await session[Symbol.asyncDispose]()
})

test('an HTML export shows the uploaded pictures that still exist unchanged', async () => {
  await makeRoom('exported')
  await put('exported', 'kept.png', png)
  await put('exported', 'gone.png', png)
  await put('exported', 'replaced.png', png)
  await put('exported', 'replaced.png', pngOf(10, 10))
  await put('exported', 'cut.png', png.subarray(0, 60))
  await put('exported', 'text.png', Buffer.from('<script>'))
  await rm(join(stage.dir, 'data', 'rooms', 'exported', 'files', 'gone.png'))
  const { document } = parseHTML(await as('export', 'exported', '--html'))
  const shown = [...document.querySelectorAll('img')]
  expect(shown.map((one) => [one.getAttribute('alt'), one.getAttribute('width')])).toEqual([
    ['kept.png', '64'],
    ['replaced.png', '10'],
  ])
  expect(shown[0]!.getAttribute('src')).toBe(`data:image/png;base64,${png.toString('base64')}`)
  expect(document.body.textContent).toContain('put text.png (text, 8 B)')
})
