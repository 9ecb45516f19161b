import { crc32, deflateSync } from 'node:zlib'

/** Small pictures of 3 × 2 pixels, made by Pillow 12. */
const FILES = {
  /** With EXIF and a comment that hold the word `secret`. */
  jpeg: [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/4QAwRXhpZgAATU0AKgAAAAgAAQEOAAIAAAANAAAAGgAAAABzZWNyZXQgcGxhY2',
    'UAAP/+ABJhIHNlY3JldCBjb21tZW50/9sAQwAbEhQXFBEbFxYXHhwbIChCKyglJShROj0wQmBVZWRfVV1baniZgWpx',
    'kHNbXYW1hpCeo6utq2eAvMm6pseZqKuk/9sAQwEcHh4oIyhOKytOpG5dbqSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpK',
    'SkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk/8AAEQgAAgADAwEiAAIRAQMRAf/EAB8AAAEFAQEBAQEBAAAAAAAAAAAB',
    'AgMEBQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNico',
    'IJChYXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeY',
    'mZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/EAB8BAAMBAQ',
    'EBAQEBAQEAAAAAAAABAgMEBQYHCAkKC//EALURAAIBAgQEAwQHBQQEAAECdwABAgMRBAUhMQYSQVEHYXETIjKBCBRC',
    'kaGxwQkjM1LwFWJy0QoWJDThJfEXGBkaJicoKSo1Njc4OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdoaWpzdHV2d3h5eo',
    'KDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uLj5OXm5+jp6vLz9PX2',
    '9/j5+v/aAAwDAQACEQMRAD8Az05H4n+dFFFYS3Z662P/2Q==',
  ].join(''),
  /** With several scans. */
  progressive: [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1',
    'tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSk',
    'pKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wgARCAACAAMDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xA',
    'AVAQEBAAAAAAAAAAAAAAAAAAADBP/aAAwDAQACEAMQAAABnB1//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAB',
    'BQJ//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFREBAQAAAAAAAAAAAAAAAAAAAAH/2gAIAQIBAT',
    '8Br//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEABj8Cf//EABUQAQEAAAAAAAAAAAAAAAAAAAAB/9oACAEBAAE/',
    'IY//2gAMAwEAAgADAAAAEA//xAAWEQADAAAAAAAAAAAAAAAAAAAAATH/2gAIAQMBAT8QUP/EABYRAAMAAAAAAAAAAA',
    'AAAAAAAAABMf/aAAgBAgEBPxCmf//EABgQAAIDAAAAAAAAAAAAAAAAAAABIYGx/9oACAEBAAE/EJq3p//Z',
  ].join(''),
  /** With EXIF that holds the word `secret`. */
  webp: [
    'UklGRn4AAABXRUJQVlA4WAoAAAAIAAAAAgAAAQAAVlA4IDAAAABwAQCdASoDAAIAB0CWJagCdAFAAAD+5VE3mWh+iM',
    '5uTbxvk2qsKO/mpvk77bSDAABFWElGKAAAAE1NACoAAAAIAAEBDgACAAAADQAAABoAAAAAc2VjcmV0IHBsYWNlAAA=',
  ].join(''),
  lossless: 'UklGRiIAAABXRUJQVlA4TBUAAAAvAkAAAA8wHoP8j//5Dx684CCi/xEA',
  /** With two frames. */
  webpAnimated: [
    'UklGRvAAAABXRUJQVlA4WAoAAAACAAAAAgAAAQAAQU5JTQYAAAAAAAAAAABBTk1GcAAAAAAAAAAAAAIAAAEAADIAAA',
    'JWUDggWAAAAFABAJ0BKgMAAgABQCYlqAAEdAAA/vJ/0tey7v/o/t2fmFJ3j1gP3v/wR0wfvv/wR0wfvv/wR3/4Fmu6',
    'e/ez8QCctiWt///ugOBe1//7jP//tAcC9r/xgABBTk1GTAAAAAAAAAAAAAIAAAEAADIAAABWUDggNAAAADQBAJ0BKg',
    'MAAgAAACYloAADcAD+6SIf//efP/+58//7nz/oz///Kfv/8jj//yOP/lAgAAA=',
  ].join(''),
  /** With a comment that holds the word `secret`. */
  gif: [
    'R0lGODlhAwACAIEAAMgeHgAA/wAAAAAAACH+EGEgc2VjcmV0IGNvbW1lbnQALAAAAAADAAIAAAgIAAEIBBAAQEAAOw',
    '==',
  ].join(''),
  /** With two frames and a loop. */
  gifAnimated: [
    'R0lGODlhAwACAIEAAMgeHgAA/wAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQABQAAACwAAAAAAwACAAAICAABCA',
    'QQAEBAACH5BAEFAAEALAAAAAADAAIAgQD/AAAAAAAAAAAAAAgGAAEIHBgQADs=',
  ].join(''),
} as const

export const samplePicture = (name: keyof typeof FILES): Buffer => Buffer.from(FILES[name], 'base64')

/** A PNG of one colour. */
export function pngOf(width: number, height: number, { before = [] as readonly Buffer[] } = {}): Buffer {
  const rows = Buffer.alloc((1 + 3 * width) * height)
  return Buffer.concat([
    PNG_MARK,
    pngHeader(width, height),
    ...before,
    pngChunk('IDAT', deflateSync(rows)),
    pngChunk('IEND'),
  ])
}

export const PNG_MARK = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function pngHeader(width: number, height: number): Buffer {
  const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0])
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  return pngChunk('IHDR', data)
}

export function pngChunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body) >>> 0)
  return Buffer.concat([length, body, check])
}
