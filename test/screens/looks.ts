import { streams } from '../support/model-server.ts'
import { answers, approval, chat, playTalk, type Scene } from './scenes.ts'

/** What a person checks by eye after a change of drawing: each in a size and theme of its own. */
const numbered = (word: string) => streams(60, 120, (at) => `${at + 1}. ${word} ${at + 1} is done\n`)

const twoModels: Scene = {
  name: 'two-models',
  title: 'Two models answer at the same time',
  hasTwoModels: true,
  async play({ stage, other, comesIn, enter }) {
    const ann = await comesIn('ann')
    stage.models.play(numbered('Step'))
    other?.play(numbered('Part'))
    await enter(ann, '@qwen @gpt tell me the steps', 'Part 8')
    return ann
  },
}

const table: Scene = {
  name: 'table',
  title: 'A reply with a table',
  async play({ stage, comesIn, enter }) {
    const ann = await comesIn('ann')
    const rows = ['router | 10.0.0.1 | the blue box in the hall', 'printer | 10.0.0.23 | out of paper again']
    stage.models.play(
      answers({
        text: `Two machines:\n\n| name | address | note |\n|:--|:--|:--|\n| ${rows.join(' |\n| ')} |\n`,
      }),
    )
    await enter(ann, '@qwen what is in the net?', / out$/m)
    return ann
  },
}

const unread: Scene = {
  name: 'unread',
  title: 'What is new in other rooms, and a line that names you',
  async play({ stage, comesIn, enter }) {
    await stage.as('ann', ['create', 'ops'])
    await stage.as('ann', ['create', 'den'])
    const bob = await comesIn('bob')
    for (const room of ['ops', 'den']) {
      await enter(bob, `/join ${room}`, `── ${room}`)
      await enter(bob, '/join lobby', /lobby · /)
    }
    await stage.as('ann', ['say', 'den', 'tea is ready'])
    await stage.as('ann', ['say', 'ops', '@bob have a look at the router'])
    await bob.shows('have a look')
    await stage.as('ann', ['say', 'lobby', 'good morning'])
    await bob.shows('good morning')
    return bob
  },
}

const help: Scene = {
  name: 'help',
  title: 'What /help says',
  async play({ comesIn, enter }) {
    const bob = await comesIn('bob')
    await enter(bob, '/help', '@guide in it helps')
    return bob
  },
}

const commands: Scene = {
  name: 'commands',
  title: 'What a slash and Tab list',
  async play({ comesIn }) {
    const bob = await comesIn('bob')
    bob.type('/\t')
    await bob.shows('then Tab')
    return bob
  },
}

const search: Scene = {
  name: 'search',
  title: 'What a search marks',
  async play(parts) {
    const { ann } = await playTalk(parts)
    await parts.enter(ann, '/search clock', /ann.*clock|qwen.*clock/)
    return ann
  },
}

export const LOOKS: readonly Scene[] = [
  { ...approval, columns: 80 },
  { ...approval, columns: 40, theme: 'light' },
  { ...chat, columns: 120 },
  { ...chat, columns: 80, theme: 'light' },
  { ...table, columns: 40 },
  { ...twoModels, columns: 80 },
  { ...unread, columns: 40, theme: 'light' },
  { ...help, columns: 80, theme: 'light' },
  { ...commands, columns: 40 },
  { ...search, columns: 120, theme: 'light' },
]
