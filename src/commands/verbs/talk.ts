import { BACK, type SentMessage, EDIT_MINUTES, EMOJI_NAMES, type Talk } from '../../chat/talk/index.ts'
import { skeleton } from '../../base/text/names.ts'
import { Refusal, ignoreRefusal } from '../../words/errors.ts'
import { arg, kindOf, Misuse, text, type Caller } from '../command.ts'
import { forCaller } from '../hints.ts'
import { isStdin, peopleToReach, programMarks, textOrStdin, verb } from './common.ts'
import { callerPermissions } from './answer.ts'

export const say = verb({
  name: 'say',
  showsWords: true,
  summary: 'say something; @name calls a model (in a session, just type it)',
  room: 'here',
  arguments: [
    text('text', 'the text; if it is absent or -, a script sends it on standard input', { optional: true }),
  ],
  example: 'the build is green',
  async run(context, services) {
    const { room, person, args, out } = context
    const words = await textOrStdin(args.text, context)
    const how = await callerPermissions(services, context, [])
    const marks = programMarks(context, isStdin(args.text))
    const { hint } = await services.speech.say(room, person, words, { ...how, ...marks })
    if (hint !== undefined) out.warn(forCaller(hint, kindOf(context)))
  },
})

export const me = verb({
  name: 'me',
  showsWords: true,
  aliases: ['action', 'emote'],
  summary: 'say what you do: /me waves',
  room: 'here',
  arguments: [text('text', 'your action; if it is -, a script sends it on standard input')],
  example: 'waves',
  async run(context, { speech }) {
    const { room, person, args, out } = context
    const marks = programMarks(context, isStdin(args.text))
    const { hint } = await speech.act(room, person, await textOrStdin(args.text, context), marks)
    if (hint !== undefined) out.warn(hint)
  },
})

const PRIVATE_TEXT = text('text', 'the message; if it is -, a script sends it on standard input')

export const msg = verb({
  name: 'msg',
  showsWords: true,
  aliases: ['w', 'whisper', 'dm', 'pm', 'tell'],
  summary: 'write a private message to one person alone, who reads it now or at the next login',
  arguments: [arg('name', 'a person who was here before, or a guest who is here now'), PRIVATE_TEXT],
  example: 'bob the key is under the mat',
  complete: { name: peopleToReach },
  async run(context, { talk, turns }) {
    const { person, args } = context
    await refuseModel(args.name, talk, turns.names())
    const words = await textOrStdin(args.text, context)
    confirmSent(talk, context, await talk.messages.send(person, args.name, words))
  },
})

/** Rejects with `Refusal` for the name of a model that no person has. */
async function refuseModel(word: string, { findPerson }: Talk, models: readonly string[]): Promise<void> {
  const name = word.replace(/^@/, '').toLowerCase()
  if (!models.includes(name)) return
  const isPerson = await findPerson.called(name).then(() => true, ignoreRefusal)
  if (!isPerson) throw new Refusal(`${name} is a model, no person: /talk @${name} is your own room with it`)
}

export const reply = verb({
  name: 'reply',
  showsWords: true,
  aliases: ['r'],
  summary: 'answer the last private message that you read',
  arguments: [PRIVATE_TEXT],
  example: 'found it',
  async run(context, { talk }) {
    const words = await textOrStdin(context.args.text, context)
    confirmSent(talk, context, await talk.messages.reply(context.person, words))
  },
})

/** Prints the sent message for a script; sessions show it themselves. Says if the recipient is away. */
function confirmSent({ away }: Talk, { person, out, session }: Caller, { to, line }: SentMessage): void {
  if (!session) out.line(line)
  const isAway = away.noticeTo(person.id, to)
  if (isAway !== undefined) out.line(`-- ${isAway}`)
  // Writing ends the sender's absence.
  if (away.comeBack(person.id)) out.line(`-- ${BACK}`)
}

const OWN_LINE = { note: 'People change only their own lines.' }

export const edit = verb({
  name: 'edit',
  showsWords: true,
  summary: `replace the text of your last line, if it is at most ${EDIT_MINUTES} minutes old; models read the new text, and the log keeps both; s/old/new/ replaces a part`,
  room: 'here',
  arguments: [
    text('text', 'the new text; it calls no model; if it is -, a script sends it on standard input'),
  ],
  example: 'the build is red',
  rights: OWN_LINE,
  async run(context, { talk }) {
    await talk.lines.edit(context.room, context.person, await textOrStdin(context.args.text, context))
  },
})

export const retract = verb({
  name: 'retract',
  aliases: ['unsend'],
  summary: `take back your last line, if it is at most ${EDIT_MINUTES} minutes old; models and searches no longer find it, but it stays in the log and on screens that show it`,
  room: 'here',
  rights: OWN_LINE,
  run: ({ room, person }, { talk }) => talk.lines.retract(room, person),
})

/** Suggestions: any other emoji works as well. */
const EMOJI: readonly string[] = ['👍', '👎', '❤️', '😂', '🎉', '🤔', '👀', '🙏', '✅', '🚀']

export const react = verb({
  name: 'react',
  summary: 'add an emoji to the last line; the same command again removes it',
  room: 'here',
  arguments: [
    arg(
      'emoji',
      'one emoji or its name, such as :tada:; before it, the id of an older line, as in /history --json',
      {
        takes: 'words',
      },
    ),
  ],
  example: '👍',
  complete: {
    emoji: ({ given, word }) => (given.length > 1 ? [] : word === '' ? EMOJI : EMOJI_NAMES),
  },
  async run({ room, person, args }, { talk }) {
    const [first, second, ...more] = args.emoji
    if (first === undefined) throw new Misuse('EMOJI is missing')
    if (more.length > 0) throw new Misuse('it takes one emoji, and before it an id')
    if (second === undefined) await talk.reactions.react(room, person, first)
    else await talk.reactions.react(room, person, second, first)
  },
})

export const away = verb({
  name: 'away',
  aliases: ['afk', 'brb'],
  summary: 'tell people who write to you or mention you that you are away, until you speak again',
  arguments: [text('text', 'the reason, or the time when you will be back', { optional: true })],
  example: 'back at two',
  async run({ person, args, out }, { talk }) {
    await talk.away.leave(person, args.text ?? '')
    out.line('you are away, until you say something')
  },
})

export const ignore = verb({
  name: 'ignore',
  allowedOverQuota: true,
  summary:
    "hide somebody's lines, messages and invitations; again: show them; alone: list the people you ignore. /history and /search still show them",
  arguments: [arg('name', 'the person, who is not notified', { optional: true })],
  example: 'bob',
  complete: { name: peopleToReach },
  async run({ person, args, out }, { talk: { ignores, findPerson } }) {
    const list = await ignores.list(person)
    if (args.name === undefined)
      return out.line(list.map(({ name }) => name).join(', ') || 'you ignore nobody')
    const wanted = skeleton(args.name.replace(/^@/, ''))
    const ignored = list.find(({ name, nameThen }) =>
      [name, nameThen].some((one) => skeleton(one) === wanted),
    )
    if (ignored) {
      await ignores.remove(person, ignored.id)
      return out.line(`what ${ignored.name} says is shown again`)
    }
    const other = await findPerson.called(args.name)
    await ignores.add(person, other)
    out.line(`you ignore ${other.name} now; the same again undoes it`)
  },
})
