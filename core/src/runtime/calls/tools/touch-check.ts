import type { ClosedPaths, Touch, Touched } from '../../../contracts/tool/tool.ts'
import { PolicyError } from '../../../errors.ts'
import { isInside, toHost } from '../policy/match-rule.ts'
import type { Policy, PolicyAnswer, PolicyQuestion } from '../policy/policy.ts'

interface Granted {
  policy: Policy
  /** What was asked before the call, and what was answered. */
  question: PolicyQuestion
  answer: PolicyAnswer
  /** Whether a person approved the call. */
  isApproved: boolean
  /** Whether the tool says what its calls touch. */
  isDeclared: boolean
  /** Whether the run makes such a call unasked. */
  isPassed(answer: PolicyAnswer): boolean
}

/** The policy's second question: what a call that may be made really touches, as the layers under the tool find it. */
export class TouchCheck {
  /** Paths that were asked about, those of the first question among them. */
  readonly paths: Set<string>
  readonly #granted: Granted
  /** What is answered about all paths, or all hosts, where no rule tells them apart. */
  readonly #known = new Map<'paths' | 'hosts', PolicyAnswer>()

  constructor(granted: Granted) {
    this.#granted = granted
    this.paths = new Set(granted.question.touched?.paths)
  }

  get closedPaths(): ClosedPaths {
    const { policy, question, isApproved } = this.#granted
    return policy.closedPaths(question, isApproved)
  }

  /** @throws PolicyError `policy_denied`; `approval_required` */
  check(touch: Touch): void {
    const { question } = this.#granted
    const { touched } = question
    const isPath = 'path' in touch
    const value = isPath ? touch.path : (toHost(touch.host) ?? touch.host)
    if (isPath) this.paths.add(value)
    const named = isPath ? touched?.paths : touched?.hosts?.map((text) => toHost(text))
    if (named?.includes(value)) return // it was in the first question
    const answer = this.#judge(isPath ? 'paths' : 'hosts', value)
    if (answer.decision === 'allow') return
    const what = `${question.tool}: ${isPath ? 'the path' : 'the host'} ${JSON.stringify(value)}`
    if (answer.decision === 'deny') throw new PolicyError('policy_denied', `${what} is denied (${answer.reason})`)
    if (this.#isCovered(touch, answer)) return
    throw new PolicyError(
      'approval_required',
      `${what} has to be asked for by name, in a call of its own (${answer.reason})`,
    )
  }

  #judge(kind: 'paths' | 'hosts', value: string): PolicyAnswer {
    const { policy, question } = this.#granted
    const known = this.#known.get(kind)
    if (known !== undefined) return known
    const touched: Touched = { ...question.touched, [kind]: [value] }
    const answer = policy.decide({ ...question, alwaysAsks: undefined, touched })
    if (!policy.tellsApart(question.tool, kind)) this.#known.set(kind, answer)
    return answer
  }

  /** Whether what a person said to the call, or the run to all of its kind, is about this too. */
  #isCovered(touch: Touch, answer: PolicyAnswer): boolean {
    const { question, answer: first, isApproved, isDeclared, isPassed } = this.#granted
    if (isPassed(answer)) return true
    if (!isApproved || !answer.rules.every((rule) => first.rules.includes(rule))) return false
    // of a tool that does not say what it touches, a person approved whatever it does
    if (!isDeclared) return true
    return 'path' in touch && (question.touched?.paths ?? []).some((folder) => isInside(folder, touch.path))
  }
}
