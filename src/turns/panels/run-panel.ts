import type { Spent } from '../billing.ts'
import { labelOf, nameOf } from '../personas.ts'
import { roomForThread } from '../side-turns.ts'
import { endingOf, recordEnd, stoppedEnding } from '../turn-end.ts'
import type { TurnLog } from '../turn-log.ts'
import type { Ending, RunTurn, SpentBy, TurnEnd, TurnRequest } from '../turn.ts'
import type { Log } from '../../base/environment.ts'
import type { Panel, PanelMember } from './panel.ts'
import { askSideBySide } from './side-by-side.ts'
import { memberText, mergeText, type PanelAnswer } from './texts.ts'

interface PanelParts {
  readonly turnLog: Pick<TurnLog, 'begin'>
  readonly log: Log
}

/** Returns `runTurn` with panels: a request with a panel runs its rounds first, then its answer. */
export function withPanels(runTurn: RunTurn, parts: PanelParts): RunTurn {
  return async (request, stop) =>
    request.panel
      ? await new RunningPanel({ ...request, panel: request.panel }, stop, runTurn, parts).run()
      : await runTurn(request, stop)
}

interface MemberAnswer extends PanelAnswer {
  readonly member: PanelMember
}

class RunningPanel {
  readonly #request: TurnRequest & { readonly panel: Panel }
  readonly #stop: AbortSignal
  readonly #runTurn: RunTurn
  readonly #parts: PanelParts
  /** Usage of all requests of the panel. */
  readonly #sum: SpentBy = {}

  constructor(
    request: TurnRequest & { readonly panel: Panel },
    stop: AbortSignal,
    runTurn: RunTurn,
    parts: PanelParts,
  ) {
    this.#request = request
    this.#stop = stop
    this.#runTurn = runTurn
    this.#parts = parts
  }

  async run(): Promise<TurnEnd> {
    const { panel, recorder } = this.#request
    await recorder.begun
    let answers: readonly MemberAnswer[] = []
    for (let round = 1; round <= panel.rounds; round++) {
      const members = round === 1 ? panel.members : answers.map(({ member }) => member)
      answers = await this.#runRound(round, members, answers)
      if (this.#stop.aborted) return await this.#end(this.#stopped())
      const { refusal } = panel.tokens
      if (refusal !== undefined)
        return await this.#end(
          stoppedEnding(`the panel ended in round ${round} of ${panel.rounds}: ${refusal}`),
        )
      if (answers.length === 0)
        return await this.#end(stoppedEnding(`the panel ended in round ${round}: no model answered`))
    }
    return await this.#merge(answers)
  }

  async #runRound(
    round: number,
    members: readonly PanelMember[],
    before: readonly PanelAnswer[],
  ): Promise<readonly MemberAnswer[]> {
    const answers = await askSideBySide(members, async (member) => {
      // If the tokens do not suffice for a member's request, the round asks nobody else.
      if (this.#stop.aborted || this.#request.panel.tokens.refusal !== undefined) return undefined
      const text = memberText(this.#facts(), member.name, round, before)
      const { ending, reply, text: said } = await this.#runTurn(this.#part(member, round, text), this.#stop)
      return ending.outcome === 'done' && reply && said !== ''
        ? { member, author: reply.author, text: said }
        : undefined
    })
    return answers.flatMap((answer) => answer ?? [])
  }

  #part(member: PanelMember, round: number, text: string): TurnRequest {
    const { room, requester, recorder, message, report } = this.#request
    const facts = { room: room.name, requester, model: labelOfMember(member), parent: recorder.id }
    return {
      ...this.#requestTo(member),
      recorder: this.#parts.turnLog.begin(facts),
      room: roomForThread(room, recorder.id, round),
      message: { ...message, text },
      report: (doing, progress) => report(`round ${round}: @${member.name} ${doing}`, progress),
      origin: { parent: this.#sum, depth: 1, budget: { left: 0 }, fresh: false },
    }
  }

  /** Returns the request with another model, and with its persona alone. */
  #requestTo({ model, persona }: PanelMember): TurnRequest {
    const { persona: _first, ...request } = this.#request
    return { ...request, model, ...(persona ? { persona } : {}) }
  }

  /** Asks the merger, or the first model that answered if no merger was named. */
  async #merge(answers: readonly MemberAnswer[]): Promise<TurnEnd> {
    const { panel, recorder, message } = this.#request
    const first = panel.members[0]!
    const member = panel.merger ?? answers[0]?.member ?? first
    if (member !== (panel.merger ?? first)) await recorder.handOver(labelOfMember(member))
    const text = mergeText(this.#facts(), member.name, answers)
    const { spent: before } = this.#sum
    const request = { ...this.#requestTo(member), message: { ...message, text } }
    return await this.#runTurn({ ...request, ...(before ? { before } : {}) }, this.#stop)
  }

  #facts() {
    const { members, question, rounds } = this.#request.panel
    return { question, rounds, names: members.map(({ name }) => name) }
  }

  #stopped(): Ending {
    return endingOf(this.#stop.reason, nameOf({ ...this.#request, ...this.#request.model }), this.#parts.log)
  }

  async #end(ending: Ending): Promise<TurnEnd> {
    const { spent }: { readonly spent?: Spent } = this.#sum
    const turn = { ...this.#request, settings: this.#request.model.settings, ...(spent ? { spent } : {}) }
    const { last } = await recordEnd(turn, { text: '', saidBefore: false }, ending)
    return { last, text: '', ending, ...(spent ? { spent } : {}) }
  }
}

const labelOfMember = (member: PanelMember): string => labelOf({ ...member, ...member.model })
