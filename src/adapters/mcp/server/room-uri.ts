/** What a room's resources are called. */
const ROOM_URI = /^room:\/\/([a-z0-9_-]{1,32})(\/log)?$/

/** A room with its topic and who is there. */
export const roomUri = (room: string): string => `room://${room}`

/** What was said in a room. */
export const logUri = (room: string): string => `room://${room}/log`

/** The room that a resource belongs to, whether or not there is such a room. */
export const roomOf = (uri: string): string | undefined => ROOM_URI.exec(uri)?.[1]
