import { bytes, counted } from '../../base/amounts.ts'
import { NoSuchFile } from '../../base/file-tree.ts'
import { fileType, HEAD_BYTES } from '../../base/file-type.ts'
import { errorMessage } from '../../base/errors.ts'
import { cleanText } from '../../base/text/clean-text.ts'
import { lineDiff } from '../../base/text/line-diff.ts'
import { visibleLine } from '../../base/text/visible-text.ts'
import type { Room } from '../../chat/index.ts'
import type { FileAuthor, FileVersion, RoomFileAccess, UndoPlan, UndoStep } from '../../tools/index.ts'
import type { FileNote } from '../../words/entry.ts'
import { Refusal, WorkspaceError } from '../../words/errors.ts'
import { fileNamesText, gettingLine, isPicture, MAX_FILE_NOTES } from '../../words/file-notes.ts'
import type { Person } from '../../words/person.ts'
import { pictureText } from '../../words/picture.ts'
import { arg, type Caller, flag, JSON_FLAG, Misuse, text } from '../command.ts'
import { dateText, iso, listedNumber, print, verb, type Services } from './common.ts'

/** Limit of a file's lines in a session. */
const SHOWN_LINES = 100
const LINES_AT_ONCE = 200
const BYTES_AT_ONCE = 64 * 1024
/** Limit of listed files for people; JSON lists all. */
const LISTED = 200

export const files = verb({
  name: 'files',
  summary:
    "list the files of the room's workspace, or print one; list old versions of a file, or restore one, which needs the right to speak",
  room: 'here',
  flags: [
    JSON_FLAG,
    flag('versions', 'lists the old versions of the file'),
    flag('diff', 'shows how the file differs from this version', { value: 'N' }),
    flag('back', 'restores this version', { value: 'N' }),
    flag('raw', 'prints the bytes unchanged', { forScripts: true }),
  ],
  arguments: [text('name', 'the name of a file', { optional: true })],
  example: 'notes.txt',
  needsVoice: () => false,
  complete: { name: async ({ room }, { filesOf }) => await filesOf(room.name).kept.paths() },
  async run(context, { filesOf }) {
    const { room, args, flags } = context
    const access = filesOf(room.name)
    const name = args.name?.trim() ?? ''
    if (name === '') {
      if (flags.versions || flags.diff !== undefined || flags.back !== undefined || flags.raw)
        throw new Misuse('write the name of a file after the flag')
      return await refuseFileErrors('', () => listFiles(context, access))
    }
    return await refuseFileErrors(name, async () => {
      if (flags.versions) return listVersions(context, name, await access.kept.versions(name))
      if (flags.diff !== undefined) return await showDiff(context, access, name, numberOf(flags.diff))
      if (flags.back !== undefined) return await putBack(context, access, name, numberOf(flags.back))
      if (flags.raw) return await sendBytes(context, access, name)
      if (flags.json) throw new Misuse('--json lists files or versions; --raw gives the bytes of one')
      return await showFile(context, access, name)
    })
  },
})

const numberOf = (word: string): number => listedNumber(word, 'a version is a number; --versions lists them')

/** What the verbs use of a room's files. */
type RoomAccess = ReturnType<Services['filesOf']>
type Here = Caller & { readonly room: Room }
type WithJson = Here & { readonly flags: { readonly json: boolean } }

async function refuseFileErrors<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NoSuchFile)
      throw new Refusal(`there is no file '${visibleLine(name)}' here; /files lists them`, { cause: error })
    if (error instanceof WorkspaceError) throw new Refusal(errorMessage(error), { cause: error })
    throw error
  }
}

async function listFiles(context: WithJson, { kept }: RoomAccess): Promise<void> {
  const { files: all, cut } = await kept.list(context.signal)
  const json = all.map(({ modifiedAt, ...file }) => ({ ...file, at: iso(modifiedAt) }))
  if (all.length === 0) return print(context, json, `no files in ${context.room.name} yet`)
  const lines = all.slice(0, LISTED).map(({ path, size, modifiedAt, by }) => {
    const who = by === undefined ? '' : `  ${visibleLine(by)}`
    return `${bytes(size).padStart(9)}  ${dateText(modifiedAt, context)}${who}  ${visibleLine(path)}`
  })
  const more =
    all.length > LISTED ? [`… ${counted(all.length - LISTED, 'more file')}: --json lists them`] : []
  print(context, json, [...lines, ...more, ...(cut === '' ? [] : [cut])])
}

function listVersions(context: WithJson, name: string, versions: readonly FileVersion[]): void {
  const json = versions.map(({ at, ...version }) => ({ ...version, at: iso(at) }))
  const lines = versions.map(({ version, at, by, event, size }) => {
    const what = event === 'removed' ? 'removed' : 'changed'
    return `${String(version).padStart(4)}  ${bytes(size).padStart(9)}  until ${visibleLine(by)} ${what} it, ${dateText(at, context)}`
  })
  print(context, json, lines.length === 0 ? `no versions of '${visibleLine(name)}' are kept` : lines)
}

async function showDiff(context: Here, access: RoomAccess, name: string, version: number): Promise<void> {
  const old = textOf(await access.kept.readVersion(name, version))
  const now = await access.readText(name).then(
    (slice) => slice.text,
    (error: unknown) => {
      if (error instanceof WorkspaceError) return undefined
      throw error
    },
  )
  if (old === undefined) throw new Refusal(`version ${version} is no text`)
  const changes = lineDiff(old, now ?? '')
  if (changes === undefined) throw new Refusal(`it differs from version ${version} in too many lines`)
  context.out.line(changes === '' ? `the file is the same as in version ${version}` : cleanText(changes))
}

function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

async function putBack(context: Here, access: RoomAccess, name: string, version: number): Promise<void> {
  const { room, person } = context
  assertMayWrite(room, person)
  await access.kept.putBack(name, version, authorOf(person))
  const note = { name: visibleLine(name), event: 'changed' } as const
  await tellFiles(context, `put back version ${version} of ${fileNamesText([note])}`, [note])
}

/** Throws `Refusal` by the same rule as for uploads. */
function assertMayWrite(room: Room, person: Person): void {
  if (person.guest) throw new Refusal('guests cannot change files; log in with a name of your own')
  room.needVoice(person)
}

const authorOf = ({ name, id }: Person): FileAuthor => ({ name, person: id })

/** Records what happened to files. Also prints it for a script, which does not see the room. */
async function tellFiles(
  { room, person, session, out }: Here,
  words: string,
  notes: readonly FileNote[],
): Promise<void> {
  const facts = { author: person.name, by: person.id, files: notes.slice(0, MAX_FILE_NOTES) }
  await room.record({ kind: 'file', ...facts, text: words })
  if (!session) out.line(words)
}

async function sendBytes({ script, signal }: Here, access: RoomAccess, name: string): Promise<void> {
  if (!script?.writeBytes)
    throw new Misuse('--raw is for a script with a pipe: ssh HOST files ROOM --raw NAME')
  const file = await access.filesBy({ name: '' }).open(name, 'read')
  try {
    for (let at = 0; !signal.aborted;) {
      const piece = await file.read(at, BYTES_AT_ONCE)
      if (piece.length === 0) return
      await script.writeBytes(piece)
      at += piece.length
    }
  } finally {
    await file.abandon()
  }
}

async function showFile(context: Here, access: RoomAccess, name: string): Promise<void> {
  const { out, session, signal, room, script } = context
  const { size, type } = await lookAt(access, name)
  if (isPicture(type)) {
    if (script?.writeBytes) return await sendBytes(context, access, name)
    const about = (await measuresOf(access, name)) ?? `${visibleLine(name)}: ${type}, ${bytes(size)}`
    return out.line(`${about}; to get it: ${gettingLine(room.name, name)}`)
  }
  if (type !== 'text' && type !== 'empty')
    return out.line(
      `${visibleLine(name)}: ${type}, ${bytes(size)}; ssh HOST files ${room.name} --raw NAME gives it`,
    )
  const lines = cleanText((await access.readText(name)).text.replace(/\n$/, '')).split('\n')
  if (!session) {
    for (let at = 0; at < lines.length && !signal.aborted; at += LINES_AT_ONCE) {
      out.line(lines.slice(at, at + LINES_AT_ONCE).join('\n'))
      await out.ready()
    }
    return
  }
  const width = String(Math.min(lines.length, SHOWN_LINES)).length
  const shown = lines.slice(0, SHOWN_LINES).map((line, at) => `${String(at + 1).padStart(width)}  ${line}`)
  out.line(shown.join('\n'))
  if (lines.length > SHOWN_LINES)
    out.line(`… ${counted(lines.length - SHOWN_LINES, 'more line')}: ssh HOST files ${room.name} NAME`)
}

/** Limit of a picture whose dimensions are shown. */
const MAX_PICTURE_BYTES = 8 * 1024 * 1024

/** Resolves to undefined if the picture is damaged or too large. */
async function measuresOf(access: RoomAccess, name: string): Promise<string | undefined> {
  try {
    return visibleLine(pictureText(await access.readPicture(name, MAX_PICTURE_BYTES)))
  } catch (error) {
    if (error instanceof WorkspaceError) return undefined
    throw error
  }
}

async function lookAt(access: RoomFileAccess, name: string): Promise<{ size: number; type: string }> {
  const file = await access.filesBy({ name: '' }).open(name, 'read')
  try {
    const { size } = await file.facts()
    return { size, type: fileType(await file.read(0, HEAD_BYTES)) }
  } finally {
    await file.abandon()
  }
}

export const undo = verb({
  name: 'undo',
  summary:
    'show the edits that your last turn made to files; for ops: the last turn of anybody; yes restores the files',
  room: 'here',
  arguments: [arg('yes', 'restores the files', { optional: true, oneOf: ['yes'] })],
  async run(context, { filesOf }) {
    const { room, person, args, out } = context
    assertMayWrite(room, person)
    const { kept } = filesOf(room.name)
    const isAnybodys = ['admin', 'owner', 'op'].includes(await room.roleOf(person))
    const plan = await refuseFileErrors('', () => kept.undoPlan(isAnybodys ? undefined : person.id))
    if (!plan)
      throw new Refusal(
        `no turn${isAnybodys ? '' : ' of yours'} wrote a file here; /retract takes your last line back`,
      )
    if (args.yes === undefined || !plan.steps.some(({ does }) => does !== 'stays'))
      return out.line(planText(plan, context))
    const steps = await refuseFileErrors('', () => kept.undo(plan, authorOf(person)))
    const done = steps.filter(({ does }) => does !== 'stays')
    for (const step of steps.filter(({ does }) => does === 'stays')) out.warn(stepText(step))
    const notes = done.map(({ path, does }): FileNote => {
      return { name: visibleLine(path), event: does === 'removes' ? 'removed' : 'changed' }
    })
    if (done.length === 0) return
    await tellFiles(
      context,
      `undid what ${visibleLine(plan.author)} wrote: ${done.map(doneText).join('; ')}`,
      notes,
    )
  },
})

function planText({ author, at, steps }: UndoPlan, caller: Here): string {
  const isDone = steps.every(({ does }) => does === 'stays')
  return [
    `-- ${visibleLine(author)} wrote, ${dateText(at, caller)}:`,
    ...steps.map((step) => `   ${stepText(step)}`),
    isDone
      ? '-- nothing can be put back'
      : `-- to do it: ${caller.session ? '/undo yes' : `undo ${caller.room.name} yes`}`,
  ].join('\n')
}

const stepText = ({ path, does, version, why }: UndoStep): string =>
  `${visibleLine(path)}: ${does === 'puts back' ? `back to version ${version}` : does === 'removes' ? 'is removed' : `stays, ${why}`}`

const doneText = ({ path, does, version }: UndoStep): string =>
  does === 'removes' ? `removed ${visibleLine(path)}` : `put back version ${version} of ${visibleLine(path)}`
