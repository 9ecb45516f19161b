import { describe, expect, it } from 'vitest'
import { readPictureFile } from '../../../src/base/picture-file.ts'
import { PNG_MARK, pngChunk, pngHeader, pngOf, samplePicture } from '../../support/pictures.ts'

const read = (file: Uint8Array) => {
  const picture = readPictureFile(file)
  if (typeof picture === 'string') throw new Error(picture)
  return picture
}

const hasSecret = (bytes: Uint8Array): boolean => Buffer.from(bytes).includes('secret')

describe('readPictureFile', () => {
  it.each([
    ['PNG', pngOf(640, 480), 'image/png', 640, 480],
    ['JPEG', samplePicture('jpeg'), 'image/jpeg', 3, 2],
    ['progressive JPEG', samplePicture('progressive'), 'image/jpeg', 3, 2],
    ['WebP', samplePicture('webp'), 'image/webp', 3, 2],
    ['lossless WebP', samplePicture('lossless'), 'image/webp', 3, 2],
    ['GIF', samplePicture('gif'), 'image/gif', 3, 2],
  ])('readPictureFile reads the dimensions of a %s', (_, file, type, width, height) => {
    expect(read(file)).toMatchObject({ type, width, height })
  })

  it.each(['jpeg', 'webp', 'gif'] as const)('readPictureFile removes the metadata of a %s', (name) => {
    expect(hasSecret(samplePicture(name))).toBe(true)
    const { bytes } = read(samplePicture(name))
    expect(hasSecret(bytes)).toBe(false)
    expect(read(bytes).bytes).toEqual(bytes)
  })

  it('readPictureFile removes texts, EXIF and animation from a PNG', () => {
    const notes = ['eXIf', 'tEXt', 'acTL', 'fdAT'].map((name) => pngChunk(name, Buffer.from('secret')))
    expect(Buffer.from(read(pngOf(3, 2, { before: notes })).bytes)).toEqual(pngOf(3, 2))
  })

  it('readPictureFile leaves a file without metadata unchanged', () => {
    for (const name of ['progressive', 'lossless'] as const)
      expect(Buffer.from(read(samplePicture(name)).bytes)).toEqual(samplePicture(name))
  })

  it('readPictureFile keeps only the first frame of an animated GIF', () => {
    const file = samplePicture('gifAnimated')
    const { bytes } = read(file)
    const frames = (one: Uint8Array): number =>
      Buffer.from(one).toString('latin1').split('\x00\x2c').length - 1
    expect([frames(file), frames(bytes)]).toEqual([2, 1])
    expect(bytes.at(-1)).toBe(0x3b)
  })

  it('readPictureFile removes all bytes after the end of the picture', () => {
    const zip = Buffer.from('PK\x03\x04 secret')
    for (const file of [pngOf(3, 2), samplePicture('jpeg'), samplePicture('webp'), samplePicture('gif')])
      expect(hasSecret(read(Buffer.concat([file, zip])).bytes)).toBe(false)
  })
})

const patched = (file: Buffer, at: number, ...bytes: readonly number[]): Buffer => {
  const copy = Buffer.from(file)
  copy.set(bytes, at)
  return copy
}

const [jpeg, webp, lossless, gif] = (['jpeg', 'webp', 'lossless', 'gif'] as const).map(samplePicture) as [
  Buffer,
  Buffer,
  Buffer,
  Buffer,
]
const png = pngOf(3, 2)
const sizeOfJpeg = jpeg.indexOf(Buffer.from([0xff, 0xc0])) + 5
const frameOfGif = gif.lastIndexOf(0x2c)
const bomb = (width: number, height: number): Buffer =>
  Buffer.concat([PNG_MARK, pngHeader(width, height), pngChunk('IDAT'), pngChunk('IEND')])

/** Files that are no pictures, or not such as a provider would take, and the end of the reason. */
const HOSTILE: readonly (readonly [what: string, file: Buffer, why: RegExp])[] = [
  ['an empty file', Buffer.alloc(0), /is no PNG/],
  ['a text called PNG', Buffer.from('PNG, but not really'), /is no PNG/],
  ['a page with a script', Buffer.from('<svg onload="alert(1)"/>'), /is no PNG/],
  ['a TIFF', Buffer.from('II*\0\b\0\0\0'), /is no PNG/],
  ['a BMP', Buffer.from('BM'), /is no PNG/],
  ['an AVIF', Buffer.from('\0\0\0\x1cftypavif'), /is no PNG/],
  ['a WAV in RIFF', Buffer.from('RIFF\x10\0\0\0WAVEfmt '), /is no PNG/],
  ['a program before a PNG', Buffer.concat([Buffer.from('#!/bin/sh\n'), png]), /is no PNG/],
  ['the mark of a PNG', PNG_MARK, /is cut off/],
  ['a PNG cut in its header', png.subarray(0, 20), /is cut off/],
  ['a PNG cut in its pixels', png.subarray(0, 45), /is cut off/],
  ['a PNG without its end', png.subarray(0, -12), /is cut off/],
  [
    'a PNG without measures',
    Buffer.concat([PNG_MARK, pngChunk('IDAT'), pngChunk('IEND')]),
    /without its measures/,
  ],
  ['a PNG with two measures', pngOf(3, 2, { before: [pngHeader(90_000, 90_000)] }), /is damaged/],
  ['a PNG 2^31 wide', bomb(2 ** 31, 1), /measures 2147483648/],
  ['a PNG 2^31 high', bomb(1, 2 ** 31), /measures 1 × 2147483648/],
  ['a PNG of 2^32-1 by 2^32-1', bomb(2 ** 32 - 1, 2 ** 32 - 1), /measures/],
  ['a PNG of 64 million pixels', bomb(8000, 8000), /measures/],
  ['a PNG without pixels', bomb(0, 4), /no pixels/],
  ['a PNG with a chunk of 4 GB', patched(png, 33, 255, 255, 255, 255), /is cut off/],
  [
    'a PNG of a hundred thousand chunks',
    pngOf(3, 2, { before: Array<Buffer>(100_000).fill(pngChunk('tEXt')) }),
    /parts/,
  ],
  ['the mark of a JPEG', jpeg.subarray(0, 3), /is cut off/],
  ['a JPEG cut in its EXIF', jpeg.subarray(0, 40), /is cut off/],
  ['a JPEG cut in its pixels', jpeg.subarray(0, -6), /is cut off/],
  ['a JPEG without its end', jpeg.subarray(0, -2), /is cut off/],
  ['a JPEG without a frame', Buffer.from([0xff, 0xd8, 0xff, 0xd9]), /no measures/],
  ['a JPEG 65535 wide', patched(jpeg, sizeOfJpeg + 2, 255, 255), /measures 65535/],
  ['a JPEG without height', patched(jpeg, sizeOfJpeg, 0, 0), /no pixels/],
  [
    'a JPEG with two frames',
    Buffer.concat([jpeg.subarray(0, -2), jpeg.subarray(sizeOfJpeg - 5)]),
    /is damaged/,
  ],
  [
    'a JPEG of zeros after its first segment',
    Buffer.concat([jpeg.subarray(0, 20), Buffer.alloc(99)]),
    /is damaged/,
  ],
  [
    'a JPEG with a segment of no bytes',
    Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xd9]),
    /is damaged/,
  ],
  ['the mark of a WebP', webp.subarray(0, 12), /is cut off/],
  ['a WebP cut in its pixels', webp.subarray(0, 40), /is cut off/],
  ['an animated WebP', samplePicture('webpAnimated'), /is animated/],
  ['a WebP whose canvas is 2^24 wide', patched(webp, 24, 255, 255, 255), /measures 16777216/],
  ['a WebP whose frame is larger than its canvas', patched(webp, 44, 255, 63), /measures 16383/],
  ['a lossless WebP 16384 wide', patched(lossless, 21, 255, 63), /measures 16384/],
  ['a WebP with a chunk of 4 GB', patched(webp, 16, 255, 255, 255, 255), /is cut off/],
  ['the mark of a GIF', gif.subarray(0, 6), /is cut off/],
  ['a GIF cut in its frame', gif.subarray(0, -4), /is cut off/],
  ['a GIF 65535 wide', patched(gif, 6, 255, 255), /measures 65535/],
  ['a GIF whose frame is larger than its canvas', patched(gif, frameOfGif + 5, 255, 255), /is damaged/],
  ['a GIF without a frame', Buffer.concat([gif.subarray(0, 25), Buffer.from([0x3b])]), /no frame/],
]

describe('a hostile picture', () => {
  it.each(HOSTILE)('a hostile picture is refused: %s', (_, file, why) => {
    expect(readPictureFile(file)).toMatch(why)
  })

  it('a decoded picture has at most the number of pixels that its headers name', () => {
    expect(read(pngOf(7999, 1))).toMatchObject({ width: 7999, height: 1 })
    expect(HOSTILE.length).toBeGreaterThanOrEqual(40)
  })
})
