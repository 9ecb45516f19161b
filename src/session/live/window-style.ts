import { OPTIONS } from '../../chat/preferences/options.ts'
import type { WindowSize } from '../drawing/region.ts'
import type { DrawingStyle } from '../drawing/theme.ts'
import { timeColumn } from '../drawing/time-column.ts'
import type { Personal } from '../personal.ts'

/** How a window is drawn in, as its person wants it; the same object as long as nothing of it changes. */
interface WindowStyle {
  now(): DrawingStyle
  /** The person wants another one. */
  changed(): void
}

export function createWindowStyle(personal: Personal, size: () => WindowSize): WindowStyle {
  let style: DrawingStyle | undefined
  return {
    now() {
      // A terminal goes on in the next row once the last cell of one is filled.
      const columns = Math.max(1, size().columns - 1)
      if (style?.columns !== columns) style = styleFor(personal, columns)
      return style
    },
    changed: () => void (style = undefined),
  }
}

/** Until somebody sets another, the usual column of times. */
function styleFor(personal: Personal, columns: number): DrawingStyle {
  const asked = personal.times() ?? OPTIONS.timestamps.usual
  const times = asked === 'off' ? undefined : timeColumn(asked, personal.zone, columns)
  return { columns, theme: personal.theme(), times }
}
