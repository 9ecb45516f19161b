import { DAY_MS } from '../../lib/duration.ts'
import type { TurnStore } from '../../turns/ports.ts'
import type { Clock } from '../../chat/ports.ts'
import { safeJson } from '../../lib/safe-json.ts'
import { defineCommand, JSON_FLAG, type Command } from '../define.ts'

export const usageCommand = (turns: Pick<TurnStore, 'usage'>, clock: Clock): Command =>
  defineCommand({
    name: 'usage',
    summary: 'the tokens that models read and wrote in the last 24 hours, in a room or everywhere',
    room: 'optional',
    flags: [JSON_FLAG],
    example: '',
    async run({ room, flags, out }) {
      const rows = await turns.usage({ since: clock.now() - DAY_MS, ...(room ? { room: room.name } : {}) })
      if (flags.json) return out.line(safeJson({ room: room?.name ?? null, models: rows }))
      if (rows.length === 0) return out.line('no model was called in the last 24 hours')
      for (const row of rows)
        out.line(`@${row.model}  ${row.turns} turns, ${row.input} tokens read, ${row.output} written`)
    },
  })
