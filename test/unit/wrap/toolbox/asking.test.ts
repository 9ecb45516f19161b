import { expect, it } from 'vitest'
import { z } from 'zod'
import { directOffer } from '../../../../src/wrap/toolbox/direct-offer.ts'
import { ArgumentError } from '../../../../src/tools/arguments.ts'
import { defineTool } from '../../../../src/tools/define-tool.ts'
import type { PermissionProvider, PermissionRequest } from '../../../../src/tools/context.ts'
import { ok } from '../../../../src/tools/results/result.ts'
import { unavailable, type Tool } from '../../../../src/tools/tool.ts'
import { call, say, scriptedModel } from '../../../support/scripted-model.ts'
import { createTurnWorld, tool, type TurnWorld, type WorldOptions } from '../../../support/turn-world.ts'

/** A turn that makes these calls, with a provider that remembers what it was asked. */
async function turnWith(
  tools: readonly Tool[],
  calls: readonly (readonly [string, unknown])[],
  verdict: (world: TurnWorld, asked: PermissionRequest) => ReturnType<PermissionProvider['request']>,
  options: WorldOptions = {},
) {
  const asked: PermissionRequest[] = []
  const model = scriptedModel(call(...calls), say('done'))
  let world: TurnWorld
  const request: PermissionProvider['request'] = (one) => (asked.push(one), verdict(world, one))
  world = await createTurnWorld(model, { tools, permissions: { request }, ...options })
  await using _ = world
  await world.ask()
  const answers = model.requests[1]!.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return { asked, answers, log: await world.log(), lines: await world.lines() }
}

const allow = async () => 'allow' as const

/** A tool as somebody writes it who never heard of permissions. */
function dice(access: Tool['access']): Tool & { readonly rolls: number } {
  let rolls = 0
  const made = tool('dice', () => ok(`roll ${(rolls += 1)}`), { access })
  return {
    ...made,
    get rolls() {
      return rolls
    },
  }
}

it.each(['write', 'execute', 'network'] as const)(
  'a tool with %s access and no asks() does not run without permission',
  async (access) => {
    const made = dice(access)
    const { asked, answers, lines } = await turnWith([made], [['dice', { count: 3 }]], async () => ({
      why: 'denied by ann',
    }))
    expect(made.rolls).toBe(0)
    expect(asked).toMatchObject([
      { tool: 'dice', access, target: '{"count":3}', detail: '{"count":3}', model: 'qwen' },
    ])
    const denied = 'ERROR: Permission denied: use dice {"count":3}? (denied by ann)'
    expect(answers).toEqual([denied])
    expect(lines.slice(0, 2)).toEqual([
      'tool_call: Did not run tool: dice {"count":3}',
      `tool_result: ${denied}`,
    ])
  },
)

it('a tool call is recorded as executing only after it was allowed', async () => {
  const made = dice('execute')
  const { answers, lines } = await turnWith([made], [['dice', {}]], async (world) => {
    expect(await world.lines()).toEqual([])
    return 'allow'
  })
  expect(answers).toEqual(['roll 1'])
  expect(lines.slice(0, 2)).toEqual(['tool_call: Executing tool: dice {}', 'tool_result: roll 1'])
})

it('a permission request has the result of asks(), and invalid arguments cause no request', async () => {
  const send = defineTool({
    id: 'send',
    title: 'Send',
    description: 'Sends.',
    access: 'network',
    input: z.strictObject({ to: z.string() }),
    asks({ to }) {
      if (to === 'nobody') throw new ArgumentError('to must be somebody')
      return to === 'me'
        ? 'nobody'
        : { target: to, detail: `to ${to}`, asked: `send to ${to}?`, onceOnly: true }
    },
    run: async ({ to }) => ok(`sent to ${to}`),
  })
  const calls = ['bob', 'nobody', 7, 'me'].map((to) => ['send', { to }] as const)
  const { asked, answers } = await turnWith([send], calls, allow)
  expect(asked).toMatchObject([{ target: 'bob', detail: 'to bob', access: 'network', onceOnly: true }])
  expect(answers).toEqual([
    'sent to bob',
    'ERROR: send: to must be somebody',
    'ERROR: send: to must be a string, got 7',
    'sent to me',
  ])
})

it('a permission request for an alias names its base tool', async () => {
  const made = dice('write')
  const alias = tool('Dice', undefined, { access: 'write', aliasOf: 'dice' })
  const { asked } = await turnWith([made, alias], [['Dice', {}]], allow)
  expect(asked.map((one) => one.tool)).toEqual(['dice'])
})

it('a tool that was turned off during its permission request does not run', async () => {
  const made = dice('write')
  const { answers } = await turnWith([made], [['dice', {}]], async (world) => {
    await world.setScope('none')
    return 'allow'
  })
  expect(answers).toEqual(['ERROR: Permission denied: use dice {}? (it was turned off meanwhile)'])
  expect(made.rolls).toBe(0)
})

it('a tool whose asks() fails does not run', async () => {
  const made = tool('dice', undefined, { access: 'write', asks: () => Promise.reject(new Error('no idea')) })
  const { answers, asked } = await turnWith([made], [['dice', {}]], allow)
  expect(answers).toEqual(['ERROR: dice: no idea'])
  expect(asked).toEqual([])
})

const read = defineTool({
  id: 'sshawl_peek',
  title: 'Peek',
  description: 'Peeks.',
  access: 'read',
  input: z.strictObject({ at: z.string() }),
  run: ({ at }) => {
    if (at === 'night') throw new ArgumentError('it is too dark')
    return `saw ${at}`
  },
})

it('a read tool runs without a permission request, and its errors name it was called', async () => {
  const calls = [{ at: 'us' }, { at: 7 }, { at: 'night' }].map((args) => ['peek', args] as const)
  const { asked, answers, lines } = await turnWith([read], calls, allow)
  expect(asked).toEqual([])
  expect(answers).toEqual([
    'saw us',
    'ERROR: peek: at must be a string, got 7',
    'ERROR: peek: it is too dark',
  ])
  expect(lines.filter((line) => line.startsWith('tool_call'))).toEqual([
    'tool_call: Executing tool: peek {"at":"us"}',
    'tool_call: Did not run tool: peek {"at":7}',
    'tool_call: Executing tool: peek {"at":"night"}',
  ])
})

it('an unavailable read tool is recorded as not run', async () => {
  const tools = [unavailable(read, 'there is no window')]
  await using world = await createTurnWorld(scriptedModel(), { tools })
  const toolbox = world.openToolbox({ room: world.room, requester: world.ann }, directOffer)
  await toolbox.run({ id: 'c', name: 'peek', arguments: '{"at":"us"}' }, new AbortController().signal)
  expect(await world.lines()).toEqual([
    'tool_call: Did not run tool: peek {"at":"us"}',
    'tool_result: ERROR: peek: there is no window',
  ])
})

it.each([
  [true, 'true'],
  [undefined, 'nothing'],
  [{}, '{}'],
  ['yes', '"yes"'],
  [{ why: 7 }, '{"why":7}'],
])('an invalid answer of a permission provider denies the call and is quoted (%j)', async (answer, shown) => {
  const made = dice('write')
  const { answers } = await turnWith([made], [['dice', {}]], async () => answer as never)
  expect(answers).toEqual([
    `ERROR: Permission denied: use dice {}? (the permission provider answered ${shown}, which is neither 'allow' nor 'deny' nor { why })`,
  ])
  expect(made.rolls).toBe(0)
})

it('the wait for permission counts neither for the timeout nor for the duration of a tool', async () => {
  const limits = { tools: { timeoutMs: 200, outputLines: 1, outputBytes: 1 } }
  const answer = async ({ chatParts }: TurnWorld) => {
    await new Promise((resolve) => setTimeout(resolve, 400))
    chatParts.clock.advance(90_000)
    return 'allow' as const
  }
  const { answers, log } = await turnWith([dice('execute')], [['dice', {}]], answer, { limits })
  expect(answers).toEqual(['roll 1'])
  expect(log.find((entry) => entry.kind === 'tool_result')).toMatchObject({ durationMs: 0 })
})

it('a turn is shown as waiting for an answer during a permission request', async () => {
  const doing: string[] = []
  await turnWith([dice('execute')], [['dice', {}]], async ({ turns, room }) => {
    doing.push(...turns.running(room.name).map((turn) => turn.doing()))
    return 'allow'
  })
  expect(doing).toEqual(['waits for an answer'])
})
