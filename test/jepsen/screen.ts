import { marksIn } from './truth.ts'

/** What a screen showed of one room: the marks of people's lines, from top to bottom. */
export interface ShownRoom {
  readonly room: string
  readonly marks: readonly string[]
}

/** A line that somebody said or did, and not a model's. */
const LINE = /^(?:c\d+(?: \(edited\))?: |\* c\d+ )(.*)$/

/** What a session without a terminal showed, a part for each time that it came into a room. */
export function roomsShown(screen: string, rooms: ReadonlySet<string>): readonly ShownRoom[] {
  const shown: { room: string; marks: string[] }[] = []
  // The last line may have been cut off.
  for (const line of screen.split(/\r?\n/).slice(0, -1)) {
    const room = /^-- ([\w-]+)$/.exec(line)?.[1]
    if (room !== undefined && rooms.has(room)) shown.push({ room, marks: [] })
    else shown.at(-1)?.marks.push(...marksIn(LINE.exec(line)?.[1] ?? ''))
  }
  return shown
}
