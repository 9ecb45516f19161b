import { expect, it } from 'vitest'
import { parsePictureRefusal } from '../../../src/models/refusals.ts'

it.each([
  'Invalid content type. image_url is only supported by certain models.',
  'Failed to deserialize the JSON body: messages[0]: unknown variant `image_url`, expected `text`',
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  'No endpoints found that support image input',
  'At most 0 image(s) may be provided in one request.',
  'qwen3-8b is not a multimodal model',
  'messages[1].content must be a string',
  'Image input modality is not enabled for models/gemma-3-1b-it',
  'this model does not support images',
])('a refusal of all pictures is recognized: %s', (said) => {
  expect(parsePictureRefusal(said)).toEqual({ kind: 'no-pictures' })
})

it.each([
  'Could not process image',
  'Unable to process input image. Please retry.',
  'You uploaded an unsupported image. Please make sure your image has of one the following formats',
  'image: unknown format',
])('a refusal of one picture is recognized: %s', (said) => {
  expect(parsePictureRefusal(said)).toEqual({ kind: 'no-pictures', isOnlyThese: true })
})

it.each(['temperature is not supported', 'prompt is too long: 3 tokens > 2 maximum', 'no credit'])(
  'an unrelated refusal is not recognized as a refusal of pictures: %s',
  (said) => {
    expect(parsePictureRefusal(said)).toBeUndefined()
  },
)
