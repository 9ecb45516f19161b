import { isRoomName } from '../../../chat/people/name-rules.ts'

/** What a room's resources are called. */
const ROOM_URI = /^room:\/\/([^/]+)(?:\/log)?$/

/** A room with its topic and who is there. */
export const roomUri = (room: string): string => `room://${room}`

/** What was said in a room. */
export const logUri = (room: string): string => `room://${room}/log`

/** The room that a resource belongs to, whether or not there is such a room. */
export function roomOf(uri: string): string | undefined {
  const name = ROOM_URI.exec(uri)?.[1] ?? ''
  return isRoomName(name) ? name : undefined
}
