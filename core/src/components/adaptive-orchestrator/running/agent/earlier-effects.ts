import type { RunView, ToolCall, ToolCallView, ToolRisk } from '../../../../contracts/index.ts'
import { hasSameTarget } from '../../../../contracts/run/missing-effect.ts'

/** Of a step's earlier tries, the newest calls, and so many characters of their arguments, are shown to the next one. */
const MOST_SHOWN = 20
const SHOWN_CHARACTERS = 300

/** What earlier tries of a step did outside of the conversation: the next try is shown it and does not do it twice. */
export class EarlierEffects {
  readonly #view: RunView
  readonly #stepId: string
  readonly #earlier: readonly ToolCallView[] = []
  /** Calls of this try that were answered so, and not made. */
  readonly #answered = new Set<string>()

  /** @param view of the run, as it stands when the new try begins */
  constructor(view: RunView, stepId: string) {
    this.#view = view
    this.#stepId = stepId
    this.#earlier = this.#effects()
  }

  /** For the agent of the new try; empty where nothing was done. */
  quote(): string {
    if (this.#earlier.length === 0) return ''
    const lines = this.#earlier
      .slice(-MOST_SHOWN)
      .map(({ tool, args }) => `- ${tool} ${(JSON.stringify(args) ?? '').slice(0, SHOWN_CHARACTERS)}`)
    return `An earlier try made these calls, and what they did stands. Build on it, and do none of it again:\n${lines.join('\n')}`
  }

  /**
   * Answers a call with what came of an equal one in an earlier try, where its effect still stands: nothing else has acted
   * on the same path, host or target since; for a program, nothing at all, and it ended well.
   *
   * @returns undefined where the call has to be made
   */
  find({ callId, tool, args }: ToolCall, risk: ToolRisk, agentId: string): ToolCallView | undefined {
    if (this.#earlier.length === 0 || risk === 'read') return undefined
    const acted = this.#effects()
    const last =
      risk === 'execute'
        ? acted.at(-1)
        : acted.findLast((done) => done.risk !== 'execute' && hasSameTarget({ tool, args }, done))
    if (last === undefined || !this.#earlier.includes(last)) return undefined
    if (last.tool !== tool || JSON.stringify(last.args) !== JSON.stringify(args) || !hasEndedWell(last))
      return undefined
    // What another agent has read outside is not handed on by the way.
    if ((last.trust === 'untrusted' || last.tainted === true) && last.agentId !== agentId) return undefined
    this.#answered.add(callId)
    return last
  }

  /** Completed calls of the step that may have changed something, in order. */
  #effects(): ToolCallView[] {
    return this.#view.toolCalls.filter(
      (call) =>
        call.stepId === this.#stepId &&
        call.status === 'completed' &&
        call.risk !== 'read' &&
        (this.#earlier.includes(call) || !this.#answered.has(call.callId)),
    )
  }
}

/** A program that ended with another code than 0 may be run again. */
const hasEndedWell = ({ risk, result = '' }: ToolCallView): boolean =>
  risk !== 'execute' || !/"exitCode":\s*[1-9]/.test(result)
