import { Refusal } from '../../words/errors.ts'
import { counted, utf8Bytes } from '../../base/amounts.ts'
import { fencedBlocks } from '../../base/markdown.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { arg, flag, Misuse } from '../command.ts'
import { verb } from './common.ts'
import { findEntry } from './turn.ts'

/** Limit of the newest entries that are searched for code. */
const SEARCHED = 200

/** Some terminals drop a longer OSC 52: in base64 this is 100,000 characters. */
const MAX_CLIPBOARD_BYTES = 74_994

export const copy = verb({
  name: 'copy',
  summary:
    'copy the newest block of code to your clipboard, unwrapped; 2 is the block before, 1 all the whole newest message; a script prints it on standard output',
  room: 'here',
  flags: [flag('message', 'the whole message with this id, as history --json shows it', { value: 'ID' })],
  arguments: [
    arg('number', 'the number of the block or message, counted from the newest; 1 by default', {
      optional: true,
    }),
    arg('what', 'the whole message, instead of a block of code', { optional: true, oneOf: ['all'] }),
  ],
  example: '1 all',
  needsVoice: () => false,
  async run({ room, args, flags, session, out }) {
    const number = /^[1-9]\d{0,3}$/.test(args.number ?? '1') ? Number(args.number ?? 1) : 0
    if (number === 0) throw new Misuse('copy takes a number, 1 for the newest block of code')
    await out.ready()
    const clean = cleanText(flags.message === undefined ? await newest() : await whole(flags.message))
    if (!session) return out.line(clean)
    const how = `ssh HOST copy ${room.name} prints it`
    if (utf8Bytes(clean) > MAX_CLIPBOARD_BYTES) throw new Refusal(`that is too long for a clipboard; ${how}`)
    if (!session.copy(clean)) throw new Refusal(`a pipe has no clipboard; ${how}`)
    out.line(`${counted(clean.split('\n').length, 'line')} sent to your clipboard; if nothing came, ${how}`)

    async function whole(id: string): Promise<string> {
      const entry = await findEntry(id, room, { revised: true })
      if (entry) return entry.text
      throw new Refusal(`${room.name} has no entry ${id.slice(0, 40)}; history --json shows their ids`)
    }

    async function newest(): Promise<string> {
      const kinds = ['message', 'reply'] as const
      const read = await room.history({ limit: SEARCHED, kinds, revised: true })
      const said = read.flatMap(({ thread, text }) => (thread === undefined ? [text] : []))
      const found = (args.what === 'all' ? said : said.flatMap(fencedBlocks)).at(-number)
      if (found !== undefined) return found
      const what = args.what === 'all' ? 'messages' : 'blocks of code'
      throw new Refusal(
        `there are no ${number === 1 ? '' : `${number} `}${what} in the last ${SEARCHED} messages`,
      )
    }
  },
})
