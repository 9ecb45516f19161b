import type { SpeechLimits } from '../chat/speech.ts'
import type { Config } from '../config/config.ts'

/** How much one message may hold, from the config. */
export const speechLimits = ({ limits }: Config): SpeechLimits => ({
  chars: limits.message_chars,
  pasteBytes: limits.paste_bytes,
  lines: limits.message_lines,
})
