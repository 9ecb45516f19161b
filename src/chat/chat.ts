import type { Entry } from './entry.ts'
import type { LogQuery, RoomRecord } from './ports.ts'
import type { Person } from './person.ts'
import type { Room } from './room.ts'

/** All rooms of this server, as one person may see them. Everything private looks as if it did not exist. */
export interface Chat {
  /** The room, if this person may see it. Throws `Refusal` (`no room called x; …`) if not, or if there is none. */
  room(name: string, viewer: Person): Promise<Room>
  /** The rooms this person may see, in order of name. */
  rooms(viewer: Person): Promise<readonly RoomRecord[]>
  /** Makes a room owned by `owner`. Throws `Refusal`: bad name, taken, too many. */
  create(name: string, owner: Person, options: { readonly private: boolean }): Promise<Room>
  /** What was said in a room. Oldest first. */
  history(room: Room, query: LogQuery): Promise<readonly Entry[]>
  /** The room with this name whoever asks: for what the server itself does, such as restarts. */
  lobby(): Promise<Room>
}
