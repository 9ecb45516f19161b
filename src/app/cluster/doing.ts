import type { ToolProgress } from '../../chat/tool-progress.ts'
import type { WorkElsewhere } from '../../cluster/work.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { ReportDoing } from '../../toolbox/call-context.ts'

/** What all servers are told of what something does. */
interface Doing {
  readonly what?: string
  readonly progress?: ToolProgress
}

/** Tells the other servers what something does. */
export const reportTo =
  (tell: (doing: JsonObject) => void): ReportDoing =>
  (what, progress) =>
    tell({ what, ...(progress && { progress: { ...progress } }) })

/** What something on another server does; `first` until that was told. */
export const doingNow = ({ doing }: WorkElsewhere, first: string): string => (doing as Doing).what ?? first

/** How far it is. */
export const progressNow = ({ doing }: WorkElsewhere): ToolProgress | undefined => (doing as Doing).progress
