import type { AnswerKind, Consensus, Vote } from '../../contracts/consensus.ts'
import type { Ports } from '../../contracts/run-context.ts'
import type { Task } from '../../contracts/task.ts'
import { addUsage } from '../../contracts/usage.ts'
import type { RiskLevel } from '../../contracts/words.ts'
import { SvcError, ValidationError } from '../../errors.ts'
import { beliefInLeader, type Count, canPass, passes } from './belief.ts'
import { confidenceIn, effectiveVotes, type ShareOutcome } from './calibration.ts'
import { canonicalise } from './canonical.ts'
import { type Cluster, clusterVotes } from './clusters.ts'
import { isAtLeast, RISK_RULES, type RiskRule } from './risk-rules.ts'

export interface ConsensusCheckerOptions {
  /** Share of the answers that the leader needs, in place of what the risk says. */
  quorum?: number
  /** How often leaders with a given share were right: what `confidence` is learnt from. */
  calibration?: readonly ShareOutcome[]
  /** Below this risk no vote is asked for; default `medium`. */
  minRisk?: RiskLevel
  /** Rules by risk that depart from the defaults. */
  rules?: Partial<Record<RiskLevel, Partial<RiskRule>>>
}

export interface CheckInput {
  task: Task
  /** How answers are compared. */
  kind: AnswerKind
  /**
   * Gives vote `index`, from 0, or from 1 where there is a `first`. Votes must not know of each other. A vote whose
   * `answer` is empty abstains; what it throws counts as a vote that could not be had, except for cancellation and an
   * exhausted budget.
   */
  sample(index: number): Promise<Vote>
  risk: RiskLevel
  /** The vote that is already there. */
  first?: Vote
  /** True when every vote would be the same: one is enough, and counts as one. */
  deterministic?: boolean
  /** True when what follows from the answer cannot be undone: at risk critical a person decides in any case. */
  irreversible?: boolean
  /** False when a deterministic check of the answer failed: it is not accepted. */
  checked?: boolean
}

type StopReason = Consensus['stopReason']

/**
 * Do independent answers agree?
 *
 * Asks for votes until the belief in the leader is high enough for what is at stake, until it no longer can be, or until
 * votes or budget end. Agreement is not truth: `posterior` is the belief that the leader is the most common answer,
 * `confidence` the calibrated chance that it is right. Calls no model itself.
 */
export class ConsensusChecker {
  readonly #rules: Readonly<Record<RiskLevel, RiskRule>>
  readonly #calibration: readonly ShareOutcome[]
  readonly #minRisk: RiskLevel

  /** @throws ValidationError `validation_failed` for a quorum outside (0, 1] */
  constructor(options: ConsensusCheckerOptions = {}) {
    const { quorum, calibration = [], minRisk = 'medium', rules = {} } = options
    if (quorum !== undefined && !(quorum > 0 && quorum <= 1)) {
      throw new ValidationError('validation_failed', `quorum is ${quorum}; it must be above 0 and at most 1`)
    }
    const own = quorum === undefined ? {} : { quorum }
    const ruleOf = (risk: RiskLevel): RiskRule => ({ ...RISK_RULES[risk], ...own, ...rules[risk] })
    this.#rules = { low: ruleOf('low'), medium: ruleOf('medium'), high: ruleOf('high'), critical: ruleOf('critical') }
    this.#calibration = calibration
    this.#minRisk = minRisk
  }

  /**
   * Asks for votes, `min` at once and then one at a time, and says what came of them.
   *
   * @throws CancelledError when the run was cancelled
   */
  async check(input: CheckInput, ports?: Partial<Pick<Ports, 'signal' | 'budget'>>): Promise<Consensus> {
    const { first, risk } = input
    const rule = this.#rules[risk]
    const asks = isAtLeast(risk, this.#minRisk) && input.deterministic !== true
    const most = asks ? rule.max : 1
    const votes: Vote[] = first === undefined ? [] : [first]
    let asked = votes.length
    let stopReason: StopReason | undefined
    while (stopReason === undefined) {
      const batch = Math.min(most, Math.max(rule.min, asked + 1)) - asked
      if (batch <= 0) break
      if (ports?.budget !== undefined && ports.budget.remaining() <= 0) {
        stopReason = 'budget'
        break
      }
      const from = asked
      asked += batch
      const outcomes = await Promise.allSettled(Array.from({ length: batch }, (_, index) => input.sample(from + index)))
      ports?.signal?.throwIfAborted()
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') votes.push(outcome.value)
        else if (isOutOfBudget(outcome.reason)) stopReason = 'budget'
        else if (SvcError.isInstance(outcome.reason) && outcome.reason.code === 'cancelled') throw outcome.reason
      }
      const count = countOf(clusterVotes(votes, input.kind))
      if (asked >= rule.min && passes(count, rule)) stopReason = 'confident'
      else if (stopReason === undefined && !canPass(count, most - asked, rule)) stopReason = 'unreachable'
    }
    return this.#resolve(votes, { ...input, rule, stopReason, left: most - asked })
  }

  /** What finished votes say: the same whatever their order. Answers are compared as text unless `kind` says otherwise. */
  tally(votes: readonly Vote[], risk: RiskLevel, kind: AnswerKind = 'text'): Consensus {
    return this.#resolve(votes, { kind, risk, rule: this.#rules[risk], left: this.#rules[risk].max - votes.length })
  }

  #resolve(
    votes: readonly Vote[],
    how: Pick<CheckInput, 'kind' | 'risk' | 'first' | 'irreversible' | 'checked'> & {
      rule: RiskRule
      left: number
      stopReason?: StopReason | undefined
    },
  ): Consensus {
    const clusters = clusterVotes(votes, how.kind)
    const [leader] = clusters
    const count = countOf(clusters)
    const accepted = passes(count, how.rule) && how.checked !== false
    const tied = count.leader === count.runnerUp
    const atStake = isAtLeast(how.risk, 'high')
    const byPerson = how.risk === 'critical' && how.irreversible === true
    const decision = byPerson || (!accepted && atStake && !tied) ? 'escalate' : accepted ? 'accept' : 'abstain'
    const answered = new Set(clusters.flatMap((cluster) => cluster.votes))
    const families = new Set([...answered].map(({ family }) => family)).size
    return {
      decision,
      ...(decision === 'accept' && leader !== undefined ? { answer: answerOf(leader, how.kind, how.first) } : {}),
      posterior: count.answered === 0 ? 0 : beliefInLeader(count.leader, count.runnerUp),
      confidence: confidenceIn(
        clusters.map((cluster) => cluster.votes.length),
        this.#calibration,
      ),
      votes: [...votes],
      effectiveVotes: effectiveVotes(count.answered, families),
      clusters: clusters.map((cluster) => ({
        canonical: cluster.canonical,
        voters: cluster.votes.map(({ voter }) => voter).sort(),
        weight: cluster.votes.length,
      })),
      minority: votes.filter((vote) => answered.has(vote) && leader?.votes.includes(vote) !== true),
      stopReason: how.stopReason ?? this.#reasonOf(count, how),
      usage: addUsage(...votes.map(({ usage }) => usage)),
    }
  }

  #reasonOf(count: Count, { rule, left }: { rule: RiskRule; left: number }): StopReason {
    if (passes(count, rule)) return 'confident'
    return left > 0 && !canPass(count, left, rule) ? 'unreachable' : 'max'
  }
}

function countOf(clusters: readonly Cluster[]): Count {
  const [leader, runnerUp] = clusters
  return {
    leader: leader?.votes.length ?? 0,
    runnerUp: runnerUp?.votes.length ?? 0,
    answered: clusters.reduce((sum, { votes }) => sum + votes.length, 0),
  }
}

/** The first vote's own words where it is one of the leaders, else the leader's most common form. */
function answerOf(leader: Cluster, kind: AnswerKind, first: Vote | undefined): unknown {
  if (first !== undefined && leader.votes.includes(first)) return first.answer
  const written = leader.votes.filter(({ answer }) => canonicalise(answer, kind) === leader.canonical)
  const [best] = written
    .map(({ answer }) => ({ answer, text: JSON.stringify(answer) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
  return best?.answer
}

const isOutOfBudget = (thrown: unknown): boolean =>
  SvcError.isInstance(thrown) && (thrown.code === 'budget_exhausted' || thrown.code === 'max_steps')
