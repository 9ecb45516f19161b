import { expect, test } from 'vitest'
import { createPostLine } from '../../../src/server/post-line.ts'
import { APOLOGY } from '../../../src/words/errors.ts'
import { createChatParts } from '../../support/chat-parts.ts'

test.each([
  ['muted', 'you are muted in den', 403],
  ['too fast', 'you are going too fast; wait a few seconds and say it again', 429],
  ['not stored', 'not stored: the disk is full', 503],
  ['wrong inside', APOLOGY, 500],
])('a posted line that is %s is answered with "%s" and status %d', async (_, why, status) => {
  const { rooms, person } = await createChatParts()
  const ann = await person('ann')
  await rooms.create('den', ann, { private: false })
  const post = createPostLine(
    {
      use: async (_line, { out }) => {
        out.warn(why)
        return 1
      },
    },
    rooms,
  )
  const line = { room: 'den', text: 'hello', signal: new AbortController().signal }
  expect(await post(ann, line)).toEqual({ status, text: why })
})
