/**
 * Loaded into a server with NODE_OPTIONS=--import: its clock of the day is off by so many milliseconds, in all of its threads.
 * The server does not know of it. Timers and the clock that never goes back are as they were.
 */
const offMs = Number(process.env['CLOCK_OFF_MS'])
const RealDate = Date

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offMs)
    else super(...parts)
  }

  static now() {
    return RealDate.now() + offMs
  }
}
