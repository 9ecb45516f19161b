import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { expectUnharmed, expectWithin, howMuch, openArena, shareTwin } from '../support/attack.ts'
import { forAllTests } from '../support/for-all-tests.ts'
import { says, startModelServer } from '../support/model-server.ts'
import { PNG_MARK, pngChunk, pngHeader } from '../support/pictures.ts'
import type { Stage } from '../support/stage.ts'

const twin = shareTwin()
const models = await forAllTests(startModelServer())

const CONFIG = `
[[models]]
name = "qwen"
backend = "openai-compatible"
model = "qwen3-vl"
endpoint = "${models.endpoint}/v1"
encoding = "r50k_base"
images = true
`
const NAMES = ['1.png', '2.png', '3.png', '4.png']
const PICTURE_BYTES = 5_000_000

/** No server decodes them, so their pixels may be anything. */
const largePicture = (): Buffer =>
  Buffer.concat([
    PNG_MARK,
    pngHeader(2_000, 2_000),
    pngChunk('IDAT', randomBytes(PICTURE_BYTES)),
    pngChunk('IEND'),
  ])

async function putPictures(stage: Stage): Promise<void> {
  const files = join(stage.server.dataDir, 'rooms', 'lobby', 'files')
  await mkdir(files, { recursive: true })
  for (const name of NAMES) await writeFile(join(files, name), largePicture())
}

describe('messages with pictures', () => {
  test('four pictures of 5 MB in each request do not delay typed text', async () => {
    await using arena = await openArena({ config: CONFIG, prepare: putPictures })
    const times = howMuch({ quick: 1, long: 4 })
    const damage = await arena.damageOf(twin(), async (stage) => {
      for (let count = 0; count < times; count++) {
        models.play(says('four'))
        const asked = ['ask', 'lobby', '@qwen', `compare ${NAMES.join(', ')}`]
        expect(await stage.as('ann', asked)).toMatchObject({ exitCode: 0 })
      }
      return []
    })
    expect(models.requests).toHaveLength(times)
    for (const { body } of models.requests)
      expect(JSON.stringify(body).length).toBeGreaterThan((NAMES.length * PICTURE_BYTES * 4) / 3)
    expectUnharmed(damage)
    expectWithin(damage.during, 100, JSON.stringify(damage))
  })
})
