import { describe, expect, test } from 'vitest'
import { createCommandWorld, done, misused, refused } from '../../../support/commands/command-world.ts'

const FORM = 'export ROOM [--markdown] [--json] [--html]'

async function createTalk(count: number) {
  const world = await createCommandWorld()
  const { rooms } = world.turnWorld.chatParts
  const room = await rooms.get('hall', world.ann)
  for (let at = 0; at < count; at++)
    await room.record({
      kind: 'message',
      author: 'ann',
      text: `line ${at} ${'x'.repeat(at % 7 === 0 ? 9_000 : 9)}`,
    })
  return world
}

describe('export', () => {
  test('gives all of a log as Markdown, with its days and its end', async () => {
    await using world = await createCommandWorld()
    await world.exec(world.ann, 'topic hall builds')
    await world.exec(world.ann, 'say hall hello')
    world.turnWorld.chatParts.clock.step(24 * 60 * 60 * 1_000)
    await world.exec(world.bob, 'me hall waves')
    const expected = [
      '# hall\n\nbuilds\n\nThe log up to 2026-01-02 00:00:00. All times are UTC.',
      ...['\n## 2026-01-01\n', expect.stringContaining('-- '), '- 00:00:00 **ann**: hello'],
      ...['\n## 2026-01-02\n', '- 00:00:00 \\* bob waves', '\nThe end: 3 entries.'],
    ]
    for (const line of ['export hall', 'export --markdown hall'])
      expect((await world.exec(world.bob, line)).out).toEqual(expected)
    expect((await world.type(world.bob, 'export')).out).toEqual(expected)
  })

  test('gives the lines of history --json, however many pages there are', async () => {
    await using world = await createTalk(300)
    const { out } = await world.exec(world.bob, 'export hall --json')
    expect(out).toHaveLength(300)
    expect(out).toEqual((await world.exec(world.bob, 'history hall -n 1000 --json')).out)
  })

  test('says of an empty room that there is nothing', async () => {
    await using world = await createCommandWorld()
    expect((await world.exec(world.ann, 'export den')).out.at(-1)).toBe('\nThe end: 0 entries.')
    expect(await world.exec(world.ann, 'export den --json')).toEqual(done())
  })

  test('is refused in a session where the log is long, with the command that gives it', async () => {
    await using world = await createTalk(129)
    expect(await world.type(world.bob, 'export')).toEqual(
      refused(
        'the log is too long for a session, which shows 128 entries at most; from a shell: ssh HOST export hall > hall.md',
      ),
    )
  })

  test('says what it cannot do', async () => {
    await using world = await createCommandWorld()
    for (const flags of ['--json --markdown', '--html --json', '--html --markdown'])
      expect(await world.exec(world.bob, `export hall ${flags}`)).toEqual(
        misused('export: it is one of --markdown, --json and --html', FORM),
      )
    expect(await world.type(world.bob, 'export --html')).toEqual(
      refused('a page is for a browser; from a shell: ssh HOST export hall --html > export.html'),
    )
    const missing = await world.exec(world.bob, 'export dxn')
    expect(await world.exec(world.bob, 'export den')).toEqual(
      refused((missing.err[0] ?? '').replace('dxn', 'den')),
    )
  })
})
