// Reads headers of PNG, JPEG, WebP and GIF. Must never decode: a small file may be a picture of gigabytes.

export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'

export interface PictureFile {
  readonly type: PictureType
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** The file without metadata, further frames and whatever follows the picture. */
  readonly bytes: Uint8Array
}

/** Anthropic's limit, the lowest of all providers (platform.claude.com/docs/en/build-with-claude/vision). */
const MAX_SIDE = 8000
const MAX_PIXELS = 40_000_000

const NAMES = /\.(?:png|jpe?g|webp|gif)$/i

export const isPictureName = (name: string): boolean => NAMES.test(name)

/** Returns the picture, or the reason for refusal: the end of a sentence that begins with the file's name. */
export function readPictureFile(file: Uint8Array): PictureFile | string {
  const kind = KINDS.find(({ begins }) => begins(file))
  if (!kind) return 'is no PNG, JPEG, WebP or GIF'
  try {
    const { width, height, parts } = kind.read(new Reader(file))
    if (width === 0 || height === 0) return 'has no pixels'
    if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
      return `measures ${width} × ${height}, at most ${MAX_SIDE} a side and ${MAX_PIXELS / 1e6} million pixels are taken`
    return { type: kind.type, width, height, bytes: joinParts(parts()) }
  } catch (error) {
    if (error instanceof BrokenPicture) return error.message
    if (error instanceof RangeError) return 'is cut off'
    throw error
  }
}

class BrokenPicture extends Error {}

interface Headers {
  readonly width: number
  readonly height: number
  /** Called only if width and height are accepted. */
  readonly parts: () => readonly Uint8Array[]
}

/** A limit on reading time; ordinary programs write fewer parts. */
const MAX_PARTS = 50_000

/** Throws `RangeError` at the end of the file. */
class Reader {
  readonly file: Uint8Array
  readonly #view: DataView
  #parts = 0

  constructor(file: Uint8Array) {
    this.file = file
    this.#view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  }

  slice(from: number, to: number): Uint8Array {
    this.#parts += 1
    if (this.#parts > MAX_PARTS) throw new BrokenPicture(`has more than ${MAX_PARTS} parts`)
    if (to > this.file.length || from > to) throw new RangeError()
    return this.file.subarray(from, to)
  }

  text = (at: number): string => String.fromCharCode(...this.slice(at, at + 4))
  byte = (at: number): number => this.#view.getUint8(at)
  big16 = (at: number): number => this.#view.getUint16(at)
  big32 = (at: number): number => this.#view.getUint32(at)
  little16 = (at: number): number => this.#view.getUint16(at, true)
  little24 = (at: number): number => this.little16(at) + 65_536 * this.byte(at + 2)
  little32 = (at: number): number => this.#view.getUint32(at, true)
}

const beginsWith =
  (...bytes: readonly (number | undefined)[]) =>
  (file: Uint8Array): boolean =>
    bytes.every((byte, at) => byte === undefined || file[at] === byte)

const codes = (text: string): readonly number[] => [...text].map((character) => character.charCodeAt(0))

const ANY = [undefined, undefined, undefined, undefined]

const KINDS: readonly {
  readonly type: PictureType
  readonly begins: (file: Uint8Array) => boolean
  readonly read: (reader: Reader) => Headers
}[] = [
  {
    type: 'image/png',
    begins: beginsWith(0x89, ...codes('PNG\r\n'), 0x1a, 0x0a),
    read: readPng,
  },
  { type: 'image/jpeg', begins: beginsWith(0xff, 0xd8, 0xff), read: readJpeg },
  { type: 'image/webp', begins: beginsWith(...codes('RIFF'), ...ANY, ...codes('WEBP')), read: readWebp },
  { type: 'image/gif', begins: beginsWith(...codes('GIF8'), undefined, ...codes('a')), read: readGif },
]

/** Chunks that change a picture's look (w3.org/TR/png-3), without frames. Texts and EXIF are dropped. */
const PNG_CHUNKS: ReadonlySet<string> = new Set([
  ...['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'sBIT'],
])

function readPng(reader: Reader): Headers {
  if (reader.text(12) !== 'IHDR') throw new BrokenPicture('begins without its measures')
  const parts = (): readonly Uint8Array[] => {
    const kept = [reader.slice(0, 8)]
    for (let at = 8; ;) {
      const end = at + 12 + reader.big32(at)
      const name = reader.text(at + 4)
      const chunk = reader.slice(at, end)
      if (name === 'IHDR' && at > 8) throw new BrokenPicture('is damaged')
      if (PNG_CHUNKS.has(name)) kept.push(chunk)
      if (name === 'IEND') return kept
      at = end
    }
  }
  return { width: reader.big32(16), height: reader.big32(20), parts }
}

/** APP0 (JFIF), APP2 (colours), APP14 (Adobe's colours) are kept; EXIF and all other notes are dropped. */
const isJpegNote = (marker: number): boolean =>
  marker === 0xfe || (marker >= 0xe0 && marker <= 0xef && ![0xe0, 0xe2, 0xee].includes(marker))

/** SOF0 to SOF15 without DHT, JPG and DAC (ITU T.81, table B.1). */
const isJpegFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function readJpeg(reader: Reader): Headers {
  const segments = jpegSegments(reader)
  const before: Uint8Array[] = []
  for (const { marker, at, bytes } of segments) {
    if (!isJpegNote(marker)) before.push(bytes)
    if (marker === 0xd9) break
    if (!isJpegFrame(marker)) continue
    const parts = (): readonly Uint8Array[] => {
      const after = [...segments].filter((one) => !isJpegNote(one.marker))
      if (after.some((one) => isJpegFrame(one.marker))) throw new BrokenPicture('is damaged')
      return [...before, ...after.map((one) => one.bytes)]
    }
    return { width: reader.big16(at + 7), height: reader.big16(at + 5), parts }
  }
  throw new BrokenPicture('has no measures')
}

/** Yields segments from the start to the end of the image. A scan's segment includes the scan's data. */
function jpegSegments(reader: Reader): IterableIterator<{ marker: number; at: number; bytes: Uint8Array }> {
  let at = 0
  let isOver = false
  const next = () => {
    if (isOver) return { done: true as const, value: undefined }
    const begin = at
    if (reader.byte(begin) !== 0xff) throw new BrokenPicture('is damaged')
    const marker = reader.byte(begin + 1)
    const isAlone = marker === 0xd8 || marker === 0xd9
    at = begin + 2 + (isAlone ? 0 : reader.big16(begin + 2))
    if (marker === 0xda) at = endOfScan(reader, at)
    isOver = marker === 0xd9
    return { done: false as const, value: { marker, at: begin, bytes: reader.slice(begin, at) } }
  }
  const iterator = { next, [Symbol.iterator]: () => iterator }
  return iterator
}

/** Returns the index of the next marker that is neither a stuffed byte nor a restart. */
function endOfScan({ file }: Reader, from: number): number {
  for (let at = from; at + 1 < file.length; at++) {
    if (file[at] !== 0xff) continue
    const marker = file[at + 1] ?? 0
    if (marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return at
  }
  throw new RangeError()
}

/** The chunks that are kept: no frames, EXIF or XMP. */
const WEBP_CHUNKS: ReadonlySet<string> = new Set(['VP8X', 'ICCP', 'ALPH', 'VP8 ', 'VP8L'])

/** Follows developers.google.com/speed/webp/docs/riff_container. */
function readWebp(reader: Reader): Headers {
  const chunks = webpChunks(reader)
  const measures = chunks.flatMap(({ name, at }) => webpMeasures(reader, name, at))
  const [width, height] = [0, 1].map((side) => Math.max(0, ...measures.map((one) => one[side] ?? 0)))
  if (chunks.filter(({ name }) => name === 'VP8 ' || name === 'VP8L').length !== 1)
    throw new BrokenPicture(chunks[0]?.name === 'VP8X' ? 'is animated, or damaged' : 'is damaged')
  const parts = (): readonly Uint8Array[] => {
    const kept = joinParts(chunks.map(({ bytes }) => bytes))
    // Clears the flags of VP8X that announce EXIF (8), XMP (4) and frames (2).
    if (chunks[0]?.name === 'VP8X') kept[8] = (kept[8] ?? 0) & ~0x0e
    const head = Uint8Array.from([...codes('RIFF'), 0, 0, 0, 0, ...codes('WEBP')])
    new DataView(head.buffer).setUint32(4, kept.length + 4, true)
    return [head, kept]
  }
  return { width: width ?? 0, height: height ?? 0, parts }
}

function webpChunks(reader: Reader) {
  const end = 8 + reader.little32(4)
  const chunks: { readonly name: string; readonly at: number; readonly bytes: Uint8Array }[] = []
  for (let at = 12; at < end;) {
    const size = reader.little32(at + 4)
    const next = at + 8 + size + (size % 2)
    if (next > end) throw new RangeError()
    const chunk = { name: reader.text(at), at, bytes: reader.slice(at, next) }
    if (WEBP_CHUNKS.has(chunk.name)) chunks.push(chunk)
    at = next
  }
  return chunks
}

function webpMeasures(reader: Reader, name: string, at: number): readonly (readonly [number, number])[] {
  if (name === 'VP8 ') return [[reader.little16(at + 14) & 0x3fff, reader.little16(at + 16) & 0x3fff]]
  if (name === 'VP8X') return [[reader.little24(at + 12) + 1, reader.little24(at + 15) + 1]]
  if (name !== 'VP8L') return []
  const bits = reader.little32(at + 9)
  return [[(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]]
}

/** Keeps the first frame (w3.org/Graphics/GIF/spec-gif89a.txt). */
function readGif(reader: Reader): Headers {
  const colours = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))
  const [width, height] = [reader.little16(6), reader.little16(8)]
  const parts = (): readonly Uint8Array[] => {
    let at = 13 + colours(reader.byte(10))
    const kept = [reader.slice(0, at)]
    for (;;) {
      const begin = at
      const mark = reader.byte(at)
      if (mark === 0x21) {
        at = endOfBlocks(reader, at + 2)
        // Keeps only the extension of a frame; comments and loops are dropped.
        if (reader.byte(begin + 1) === 0xf9) kept.push(reader.slice(begin, at))
      } else if (mark === 0x2c) {
        const frame = { right: reader.little16(at + 1) + reader.little16(at + 5), flags: reader.byte(at + 9) }
        if (frame.right > width || reader.little16(at + 3) + reader.little16(at + 7) > height)
          throw new BrokenPicture('is damaged')
        at = endOfBlocks(reader, at + 11 + colours(frame.flags))
        return [...kept, reader.slice(begin, at), Uint8Array.of(0x3b)]
      } else throw new BrokenPicture('has no frame')
    }
  }
  return { width, height, parts }
}

function endOfBlocks(reader: Reader, from: number): number {
  let at = from
  for (let size = reader.byte(at); size !== 0; size = reader.byte(at)) at += 1 + size
  return at + 1
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
