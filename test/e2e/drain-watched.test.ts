import { expect, test } from 'vitest'
import { createDeferred } from '../../src/lib/deferred.ts'
import { saysLater } from '../support/model-server.ts'
import { createModelStage } from '../support/stage.ts'

test('whoever watches the server is answered until the end, and its log tells what it waits for', async () => {
  await using stage = await createModelStage('\n[limits]\ndrain_s = 60\n', { http: true })
  await stage.claim('alice')
  const token = (await stage.as('alice', ['token', 'new'])).stdout.trim()
  const get = (path: string, bearer = token) =>
    fetch(stage.server.http + path, { headers: { authorization: `Bearer ${bearer}` } })
  const goOn = createDeferred<void>()
  stage.models.play(saysLater('The first half', goOn.promise, ' and the second.'))
  const alice = await stage.open('alice', '-tt')
  await alice.waitFor('-- lobby')
  alice.write('@qwen tell me all of it\r')
  await alice.waitFor('The first half')
  const stopped = stage.server.stop('SIGTERM')
  expect(await alice.exit).toBe(255)
  const ready = await get('/readyz')
  expect([ready.status, await ready.text()]).toEqual([503, 'the server is stopping\n'])
  expect((await get('/healthz')).status).toBe(200)
  expect(await (await get('/metrics')).text()).toMatch(/^sshawl_turns_running\S* 1$/m)
  expect((await get('/metrics', 'wrong')).status).toBe(401)
  expect([(await get('/mcp')).status, (await get('/oauth/callback')).status]).toEqual([503, 503])
  goOn.resolve()
  expect(await stopped).toBe(0)
  const log = stage.server.stderr()
  expect(log).toMatch(/"signal":"SIGTERM".*"the server is stopping"/)
  expect(log).toMatch(/"sessions":1,"turns":1,"seconds":60.*"draining: /)
  expect(log).toMatch(/"turns":0.*"drained.*\n.*"the server has stopped"/)
  await expect(get('/healthz')).rejects.toThrow('fetch failed')
})
