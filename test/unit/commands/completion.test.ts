import { expect, test } from 'vitest'
import { createCompletion } from '../../../src/commands/completion.ts'
import { createCommandWorld } from '../../support/commands/command-world.ts'
import { screenOf } from '../../support/chat-parts.ts'
import { tool } from '../../support/turn-world.ts'

/** Ann and bob are in hall, which has an exit into den. */
async function createScene() {
  const world = await createCommandWorld(tool('Grep'), tool('calculator'))
  const { rooms } = world.turnWorld.chatParts
  const hall = await rooms.get('hall', world.ann)
  for (const person of [world.ann, world.bob]) await hall.enter(screenOf(person))
  for (const line of ['portal hall down den', 'portal hall west lobby']) await world.exec(world.ann, line)
  const complete = createCompletion(world.commands, world.turnWorld.turns)
  return {
    world,
    complete: (text: string, person = world.bob) => complete(text, text.split(' ').at(-1)!, hall, person),
  }
}

test.each([
  ['/jo', ['/join']],
  ['/w', ['/watch', '/who', '/whoami', '/wrap']],
  ['/nothing', []],
  ['hello @', ['@ann', '@bob', '@qwen']],
  ['/say @q', ['@qwen']],
  ['/join ', ['hall', 'lobby']],
  ['/go ', ['west']],
  ['/help whoa', ['whoami']],
  ['/invite ', ['ann', 'root']],
  ['/run ', ['Grep', 'calculator', 'find_tools']],
  ['/allow ', ['always', 'once', 'room']],
  ['/tools ', ['@qwen', 'Grep', 'builtin', 'calculator', 'off', 'on', 'read']],
  ['/tools Grep c', ['calculator']],
  ['/nav ', ['off', 'on']],
  ['/nav on ', []],
  ['/join lobby ', []],
  ['/JOIN l', ['lobby']],
  ['/script s', ['set', 'show']],
  ['/script show ', []],
  ['/summary c', ['clear']],
  ['/kv ', ['delete', 'exits', 'get', 'list', 'set']],
  ['/set th', ['theme']],
  ['/set ', ['bell', 'color', 'history', 'notify', 'plain', 'theme', 'timestamps', 'timezone', 'words']],
  ['/set bell ', ['all', 'mention', 'off']],
  ['/set bell d', []],
  ['/set plain ', ['off', 'on']],
  ['/set nothing ', []],
  ['/kv list ', []],
  ['/tools Grep G', []],
  ['/tools --json --', ['--list']],
  ['/tools --list ', ['Grep', 'all', 'builtin', 'calculator', 'read']],
  ['/invites new --', ['--days', '--json', '--uses']],
  ['/invites new --days 3 ', ['hall', 'lobby']],
  ['/invites list ', []],
  ['/allow once ', []],
  ['/mute ann ', []],
  ['/portal n', ['north']],
  ['/portal north h', ['hall']],
  ['/topic --', ['--json']],
  ['/msg a', ['ann']],
  ['/msg ', ['ann', 'root']],
  ['/msg @c', []],
  ['/kick ', ['ann']],
  ['/react th', ['thinking', 'thumbsdown', 'thumbsup']],
  ['/react :thumbsu', ['👍']],
  [':thumbs', [':thumbsup:', ':thumbsdown:']],
  ['well :+1', ['👍']],
  [':tad', ['🎉']],
  [':)', []],
  [':nothing', []],
  ['/msg ann h', []],
  ['/dm a', ['ann']],
  ['/ask q', ['@qwen']],
  ['/wrap @', ['@qwen']],
  ['/wrap @a', []],
  ['/stop @', ['@qwen']],
  ['/ban --room l', ['lobby']],
  ['/ban --room lobby a', ['ann']],
  ['/unban --room ', ['hall', 'lobby']],
  ['/ban --room lobby ann 2h @a', ['@ann']],
  ['/whoami ', ['--json']],
  ['an', ['ann:']],
  ['AN', ['ann:']],
  ['bo', []],
  ['qw', ['@qwen']],
  ['hello an', ['ann']],
  ['/__proto__ ', []],
  ['//', []],
  ['hello ', []],
  ['', []],
])('completion of %j offers %j', async (text, expected) => {
  const { world, complete } = await createScene()
  await using _ = world
  expect(await complete(text)).toEqual(expected)
})

test('completion offers a private room only to its members', async () => {
  const { world, complete } = await createScene()
  await using _ = world
  expect(await complete('/join ', world.ann)).toEqual(['den', 'hall', 'lobby'])
  expect(await complete('/go ', world.ann)).toEqual(['down', 'west'])
})
