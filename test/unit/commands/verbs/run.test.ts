import { describe, expect, test } from 'vitest'
import { failed, ok } from '../../../../src/tools/result.ts'
import { sessionIn } from '../../../support/commands/caller.ts'
import {
  createCommandWorld,
  done,
  jsonOf,
  misused,
  refused,
} from '../../../support/commands/command-world.ts'
import { touch } from '../../../support/commands/raise-question.ts'
import { screenOf } from '../../../support/chat-parts.ts'
import { tool } from '../../../support/turn-world.ts'

const echo = tool('echo')
const broken = tool('broken', () => failed('it broke\nin two'))

describe('run', () => {
  test('prints the result to a script, and fails where the tool does', async () => {
    await using world = await createCommandWorld(echo, broken)
    expect(await world.exec(world.bob, 'run hall echo {"q":"x"}')).toEqual(done('{"q":"x"}\n'))
    expect(await world.exec(world.bob, 'run hall broken')).toEqual(refused('ERROR: it broke\nin two'))
    const asJson = await world.exec(world.bob, 'run hall --json broken')
    expect(asJson.status).toBe(1)
    expect(jsonOf(asJson)).toMatchObject({ kind: 'tool_result', author: 'bob', isError: true })
  })

  test.each([
    ['run echo {"q":"x"}', '{"q":"x"}'],
    ['run broken', 'ERROR: it broke\nin two'],
  ])('%s goes on beside the session, which reads all of the result', async (line, result) => {
    await using world = await createCommandWorld(echo, broken)
    const { caller, next } = sessionIn(world.turnWorld.room, world.bob)
    const told = next()
    expect(await world.runner.command(line, caller)).toBe(0)
    expect(await told).toBe(result)
  })

  test('tells a session what went wrong beside it, as if it had waited', async () => {
    await using world = await createCommandWorld(echo)
    const { caller, next } = sessionIn(world.turnWorld.room, world.bob)
    const { room } = world.turnWorld
    room.record = () => Promise.reject(new TypeError('a bug'))
    const told = next()
    expect(await world.runner.command('run echo', caller)).toBe(0)
    expect(await told).toBe('something went wrong on the server; it was logged')
    expect(world.turnWorld.chatParts.log.lines).toContain('a command threw')
  })

  test('asks a session, and lets a script name what it allows', async () => {
    await using world = await createCommandWorld(touch)
    const call = 'hall touch {"q":"a.txt"}'
    expect(await world.exec(world.ann, `run --allow touch ${call}`)).toEqual(done('touched a.txt\n'))
    expect(await world.exec(world.ann, `run ${call}`)).toEqual(
      refused('ERROR: Permission denied: touch it? (a script must name it: --allow touch)'),
    )
    expect(await world.exec(world.bob, `run --allow touch ${call}`)).toEqual(
      refused('only the owner of hall, an op or an admin can allow tools from a script'),
    )
  })

  test('asks for a tool that asks for nothing itself, once, and a grant is for exactly its arguments', async () => {
    const dice = tool('dice', (args) => ok(`rolled ${JSON.stringify(args)}`), { access: 'write' })
    await using world = await createCommandWorld(dice)
    expect(await world.exec(world.bob, 'run hall dice {"q":"3"}')).toEqual(
      refused(
        'ERROR: Permission denied: use dice {"q":"3"}? (no script of bob can allow it in hall; in a session bob is asked)',
      ),
    )
    const hall = await world.turnWorld.chatParts.rooms.get('hall', world.bob)
    await hall.enter(screenOf(world.bob))
    const kinds: string[] = []
    const roll = async (q: string): Promise<string> => {
      const { caller } = sessionIn(hall, world.bob)
      const ended = new Promise<string>((resolve) => {
        const end = hall.listen({
          deliver(entry) {
            if (entry.kind === 'approval') kinds.push(entry.verdict)
            if (entry.kind === 'approval' && entry.verdict === 'asked')
              void world.type(world.bob, `allow room ${entry.question}`)
            if (entry.kind !== 'tool_result') return
            end()
            resolve(entry.text)
          },
        })
      })
      await world.runner.command(`run dice {"q":"${q}"}`, caller)
      return await ended
    }
    expect([await roll('3'), await roll('3'), await roll('4')]).toEqual([
      'rolled {"q":"3"}',
      'rolled {"q":"3"}',
      'rolled {"q":"4"}',
    ])
    expect(kinds).toEqual(['asked', 'room', 'asked', 'room'])
  })

  test.each([
    ['nope', "ERROR: You requested a tool called 'nope', however we only have these tools: 'echo'"],
    ['echo {"q":', /^ERROR: .*JSON/],
  ])('run hall %s tells the script what is wrong', async (words, problem) => {
    await using world = await createCommandWorld(echo)
    const { status, out, err } = await world.exec(world.bob, `run hall ${words}`)
    expect({ status, out }).toEqual({ status: 1, out: [] })
    expect(err[0]).toMatch(problem)
  })

  test('needs a tool', async () => {
    await using world = await createCommandWorld()
    expect(await world.exec(world.bob, 'run hall')).toEqual(
      misused('run: TOOL is missing', 'run ROOM [--json] [--allow TOOL] TOOL [JSON…]'),
    )
  })
})
