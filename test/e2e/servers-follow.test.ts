import { describe, expect, test, vi } from 'vitest'
import { createCluster, type ClusterStage } from '../support/cluster.ts'
import { rawServer } from '../support/mcp/raw-servers.ts'
import { lacks } from '../support/needs.ts'

const CONFIG = '[limits]\naddress_burst = 1000000\nrate_burst = 1000\n'

/** A command takes long on a busy machine. */
const PATIENCE = { timeout: 20_000 }

const WRAP = 'function default_wrap(t) return wrap(t):system():tools(room_tool_scope()) end\n'

/** What one person does on one server, which must work. */
const doneBy =
  (cluster: ClusterStage) =>
  async (at: number, words: readonly string[], input?: string): Promise<string> => {
    const { stdout, stderr, exitCode } = await cluster.as(at, 'rhea', words, input)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    return stdout
  }

describe.skipIf(lacks('postgres'))('what one server changes', () => {
  test('others follow: scripts, whose hooks run once for each line, and servers of tools', async () => {
    await using cluster = await createCluster({ servers: 2, config: CONFIG })
    const code = cluster.servers[0]!.claimCode!
    await cluster.as(0, 'rhea', ['claim', code])
    const out = doneBy(cluster)
    await out(0, ['create', 'den'])
    const sum = ['run', 'den', 'calculator', '{"expression":"1+1"}']
    expect(await out(1, sum)).toContain('2')
    const script = `${WRAP}
function on_message(entry) tools.room_kv_set("said", (tools.room_kv_get("said") or "") .. entry.text) end
function before_tool_call(call) return "no sums" end`
    await out(0, ['script', 'den', 'set'], script)
    await vi.waitFor(async () => {
      const { stderr, stdout } = await cluster.as(1, 'rhea', sum)
      expect(stdout + stderr).toContain("refused by the room's script: no sums")
    }, PATIENCE)
    for (let n = 0; n < 5; n++) await Promise.all([out(0, ['say', 'den', 'x']), out(1, ['say', 'den', 'x'])])
    await vi.waitFor(
      async () => expect(await out(1, ['kv', 'den', 'said', '--json'])).toContain(`"${'x'.repeat(10)}"`),
      PATIENCE,
    )

    await out(0, ['mcp', 'connect', 'gen', ...rawServer('usual')])
    await vi.waitFor(
      async () => expect(await out(1, ['tools', 'lobby', '--json'])).toContain('gen_echo'),
      PATIENCE,
    )
    await out(1, ['mcp', 'disconnect', 'gen'])
    await vi.waitFor(
      async () => expect(await out(0, ['tools', 'lobby', '--json'])).not.toContain('gen_echo'),
      PATIENCE,
    )
    expect(await out(0, ['mcp', 'list'])).not.toContain('gen')
  })
})
