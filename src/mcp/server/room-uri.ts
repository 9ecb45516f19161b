import { isRoomName } from '../../words/names.ts'

const ROOM_URI = /^room:\/\/([^/]+)(?:\/log)?$/

export const roomUri = (room: string): string => `room://${room}`

export const logUri = (room: string): string => `room://${room}/log`

/** Returns undefined if no room can have that name. */
export function roomOf(uri: string): string | undefined {
  const name = ROOM_URI.exec(uri)?.[1] ?? ''
  return isRoomName(name) ? name : undefined
}
