import { expect, it } from 'vitest'
import { fileType } from '../../../src/base/file-type.ts'

const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1')

it.each([
  ['PNG picture', latin('\x89PNG\r\n\x1a\nrest')],
  ['JPEG picture', latin('\xff\xd8\xff\xe0')],
  ['WebP picture', latin('RIFF\x01\x02\x03\x04WEBPVP8 ')],
  ['data', latin('RIFF\x24\0\0\0WAVEfmt ')],
  ['text', Buffer.from('grüße\n')],
  ['text', Buffer.from('x'.repeat(4095) + 'ü')],
  ['data', latin('gr\xfc\xdfe')],
  ['data', latin('a\0b')],
  ['empty', latin('')],
])('a file is called %s by its first bytes', (type, head) => expect(fileType(head)).toBe(type))
