import { describe, expect, test } from 'vitest'
import { createCommandWorld, jsonOf, misused, refused } from '../../../support/commands/command-world.ts'
import { tool } from '../../../support/turn-world.ts'

/** A turn of two requests in hall, and its id. */
async function createScene() {
  const world = await createCommandWorld(tool('echo'))
  const { out } = await world.exec(world.bob, 'ask hall --json qwen call echo {"q":"x"}')
  return { world, id: (JSON.parse(out.at(-1) ?? '') as { readonly turn: string }).turn }
}

describe('/turn', () => {
  test('shows every request, and what was the same before only by name', async () => {
    const { world, id } = await createScene()
    await using _ = world
    const { out } = await world.type(world.ann, `turn ${id}`)
    expect(out[0]).toBe('-- @qwen for bob: done; 2 requests')
    expect(out[1]).toMatch(/^-- request 1\n-- system\n/)
    expect(out[2]).toMatch(/^-- request 2\n-- system: as before\n/)
    expect(out[2]).toContain('-- result of echo\n{"q":"x"}')
  })

  test('shows one request, and JSON', async () => {
    const { world, id } = await createScene()
    await using _ = world
    expect((await world.type(world.ann, `turn ${id} 2`)).out).toHaveLength(2)
    expect(jsonOf(await world.exec(world.ann, `turn hall --json ${id} 1`))).toMatchObject({
      id,
      model: 'qwen',
      requests: [{ request: 1 }],
    })
  })

  test.each(['0', '3', 'x', '1.0', 'x'.repeat(30)])('has no request %s', async (number) => {
    const { world, id } = await createScene()
    await using _ = world
    expect(await world.type(world.ann, `turn ${id} ${number}`)).toEqual(
      misused(
        `turn: there is no request ${number.slice(0, 20)}; requests are 1 to 2`,
        '/turn [--json] ID [REQUEST]',
      ),
    )
  })

  test('of another room, or of none, is not there', async () => {
    const { world, id } = await createScene()
    await using _ = world
    for (const unknown of [id, 'x'.repeat(99), '__proto__'])
      expect(await world.type(world.ann, `turn ${unknown}`, 'lobby')).toEqual(
        refused(`there is no turn ${unknown.slice(0, 40)} in lobby`),
      )
  })
})
