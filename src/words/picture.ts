import { bytes, counted } from '../base/amounts.ts'
import { cleanLine } from '../base/text/clean-text.ts'
import type { PictureFile, PictureType } from '../base/picture-file.ts'

/** Metadata of a picture, as reported and stored. */
export interface PictureFacts {
  /** Its path in the workspace, as it was written. */
  readonly name: string
  readonly type: PictureType
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** Bytes that are sent. */
  readonly size: number
  /** SHA-256 of these bytes, in hexadecimal digits. */
  readonly hash: string
  /** Tokens that the provider counts for the picture; 0 if it is not sent. */
  readonly tokens: number
}

/** A picture of a workspace. `JSON.stringify` omits its bytes. */
export class Picture implements PictureFacts {
  readonly name: string
  readonly type: PictureType
  readonly width: number
  readonly height: number
  readonly size: number
  readonly hash: string
  readonly tokens: number
  readonly #bytes: Uint8Array

  constructor(
    file: PictureFile,
    { name, hash, tokens = 0 }: Pick<PictureFacts, 'name' | 'hash'> & { tokens?: number },
  ) {
    this.name = name
    this.type = file.type
    this.width = file.width
    this.height = file.height
    this.size = file.bytes.length
    this.hash = hash
    this.tokens = tokens
    this.#bytes = file.bytes
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  counted(tokens: number): Picture {
    return new Picture(this, { name: this.name, hash: this.hash, tokens })
  }
}

export const pictureText = ({
  name,
  type,
  width,
  height,
  size,
}: Omit<PictureFacts, 'hash' | 'tokens'>): string =>
  `${name}: ${type.slice(6).toUpperCase()}, ${width} × ${height}, ${bytes(size)}`

/** `p.png: PNG, 640 × 480, 12 kB, 765 tokens, sha256 0123456789ab` */
export const pictureDetails = (picture: PictureFacts): string =>
  `${cleanLine(pictureText(picture))}, ${counted(picture.tokens, 'token')}, sha256 ${picture.hash.slice(0, 12)}`
