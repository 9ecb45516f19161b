import { createSerial, type Serial } from '../../lib/serial.ts'
import type { Room } from '../room.ts'

/** Runs jobs of one room one after the other, as `Serial` does: for what reads the log and then adds to it. */
export type RoomSerials = <T>(room: Room, job: () => Promise<T>) => Promise<T>

export function createRoomSerials(): RoomSerials {
  const serials = new WeakMap<Room, Serial>()
  return (room, job) => {
    const serial = serials.get(room) ?? createSerial()
    serials.set(room, serial)
    return serial(job)
  }
}
