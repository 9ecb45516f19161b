import { expect, test } from 'vitest'
import { forAllTests } from '../support/for-all-tests.ts'
import { says } from '../support/model-server.ts'
import { openSsh } from '../support/ssh.ts'
import { createModelStageHere } from '../support/stage.ts'
import { createEmulator } from '../support/terminal.ts'

const stage = await forAllTests(createModelStageHere('', { isShared: true }))

const CODE = ['cat <<EOF > x', '  key: 1', `${'long '.repeat(30)}end`, 'EOF']

test("a model's code has no border on the screen, and both /copy and ssh HOST copy give it", async () => {
  const text = `so:\n\n\`\`\`\nfirst\n\`\`\`\n\n1. then\n\n   \`\`\`sh\n   ${CODE.join('\n   ')}\n   \`\`\`\n`
  stage.models.play(says(text))
  await stage.as('ann', ['ask', 'lobby', '@qwen', 'how?'])
  const target = { user: 'bob', port: stage.server.port, key: await stage.home.key('bob'), options: ['-tt'] }
  await using bob = openSsh(target)
  const emulator = createEmulator(80, 24)
  await bob.waitFor('── end')
  bob.write('/copy\r')
  const copied = await bob.waitFor('sent to your clipboard')
  bob.write('/copy 2\r')
  await bob.waitFor('1 line sent to your clipboard')
  bob.write('\u0004')
  await bob.exit
  await emulator.write(bob.output())
  const rows = emulator.all()
  const begin = rows.findIndex((row) => row.endsWith('code, 4 lines'))
  expect(rows.slice(begin + 1, begin + 3)).toEqual(CODE.slice(0, 2))
  expect(rows[begin + 4]).toMatch(/^↪ long /)
  const clipboards = [...bob.output().matchAll(/\u001b\]52;c;([\w+/=]*)\u0007/g)].map(([, base64 = '']) =>
    Buffer.from(base64, 'base64').toString(),
  )
  expect(copied).toContain('4 lines sent')
  expect(clipboards).toEqual([CODE.join('\n'), 'first'])
  expect((await stage.as('bob', ['copy', 'lobby'])).stdout).toBe(`${CODE.join('\n')}\n`)
  expect((await stage.as('bob', ['copy', 'lobby', '1', 'all'])).stdout).toMatch(/^so:\n/)
  expect((await stage.as('bob', ['copy', 'lobby', '9'])).exitCode).toBe(1)
})

test('/history paste prints the whole newest long text, even if a model wrote it', async () => {
  const long = Array.from({ length: 21 }, (_, index) => `- step ${index}`).join('\n')
  stage.models.play(says(long))
  await stage.as('ann', ['ask', 'lobby', '@qwen', 'which steps?'])
  const { stdout } = await stage.as('bob', ['history', 'lobby', 'paste'])
  expect(stdout).toContain('qwen: - step 0\n')
  expect(stdout).toMatch(/ {2}- step 20\n$/)
})

test('a long link that a person wrote is a link on each of its rows', async () => {
  const address = `https://example.org/${'part/'.repeat(40)}end`
  await stage.as('ann', ['say', 'lobby', `see ${address}.`])
  const target = { user: 'bob', port: stage.server.port, key: await stage.home.key('bob'), options: ['-tt'] }
  await using bob = openSsh(target)
  await bob.waitFor('end\u001b')
  bob.write('\u0004')
  await bob.exit
  expect(bob.output().split(`\u001b]8;;${address}\u001b\\`)).toHaveLength(5)
})
