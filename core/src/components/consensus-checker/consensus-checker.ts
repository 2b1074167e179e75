import { addUsage } from '../../contracts/model/usage-sum.ts'
import type { Ports } from '../../contracts/run/run-context.ts'
import type { AnswerKind, Consensus, Vote } from '../../contracts/stages/consensus.ts'
import type { RiskLevel } from '../../contracts/words.ts'
import { SvcError, ValidationError } from '../../errors.ts'
import { countBallot, isSettled, isTied, passes } from './ballot.ts'
import { confidenceIn, effectiveVotes, type ShareOutcome } from './calibration.ts'
import { canonicalise } from './canonical.ts'
import type { CheckInput } from './check-input.ts'
import { type Cluster, clusterVotes } from './clusters.ts'
import { Meanings } from './entailment.ts'
import { isAtLeast, RISK_RULES, type RiskRule } from './risk-rules.ts'
import { type VoterOutcome, VoterRecord } from './voter-record.ts'

export interface ConsensusCheckerOptions {
  /** Share of the answers that the leader needs, in place of what the risk says. */
  quorum?: number
  /** How often leaders with a given share were right: what `confidence` is learnt from. */
  calibration?: readonly ShareOutcome[]
  /** How often voters were right: what votes weigh. All weigh the same until a family has thirty outcomes. */
  voters?: readonly VoterOutcome[]
  /** Below this risk no vote is asked for; default `medium`. */
  minRisk?: RiskLevel
  /** Rules by risk that depart from the defaults. */
  rules?: Partial<Record<RiskLevel, Partial<RiskRule>>>
}

type StopReason = Consensus['stopReason']
type WeightOf = ((family: string) => number) | undefined

interface Circumstances extends Pick<CheckInput, 'kind' | 'risk' | 'first' | 'irreversible' | 'checked'> {
  rule: RiskRule
  left: number
  domain: string | undefined
  weightOf: WeightOf
  isAlike?: Meanings['isAlike']
  stopReason?: StopReason | undefined
}

/** After this many failed votes in a row asking ends. */
const MOST_FAILURES = 3

/**
 * Do independent answers agree?
 *
 * Asks for votes until the leader is far enough ahead for the risk, until it no longer can be, or until votes or budget end.
 * Agreement is not truth: `posterior` is the belief that the leader is the answer the voters would settle on, `confidence`
 * the calibrated chance that it is right. Calls no model itself.
 */
export class ConsensusChecker {
  readonly #rules: Readonly<Record<RiskLevel, RiskRule>>
  readonly #calibration: readonly ShareOutcome[]
  readonly #record: VoterRecord
  readonly #minRisk: RiskLevel

  /** @throws ValidationError `validation_failed` for a quorum outside (0, 1] */
  constructor(options: ConsensusCheckerOptions = {}) {
    const { quorum, calibration = [], voters = [], minRisk = 'medium', rules = {} } = options
    if (quorum !== undefined && !(quorum > 0 && quorum <= 1)) {
      throw new ValidationError('validation_failed', `quorum is ${quorum}; it must be above 0 and at most 1`)
    }
    const own = quorum === undefined ? {} : { quorum }
    const ruleOf = (risk: RiskLevel): RiskRule => ({ ...RISK_RULES[risk], ...own, ...rules[risk] })
    this.#rules = { low: ruleOf('low'), medium: ruleOf('medium'), high: ruleOf('high'), critical: ruleOf('critical') }
    this.#calibration = calibration
    this.#record = new VoterRecord(voters)
    this.#minRisk = minRisk
  }

  /**
   * Asks for votes, `min` at once and then one at a time, and says whether they agree.
   *
   * @throws CancelledError when the run was cancelled
   */
  async check(input: CheckInput, ports?: Partial<Pick<Ports, 'signal' | 'budget'>>): Promise<Consensus> {
    const { first, risk, kind, task } = input
    const rule = this.#rules[risk]
    const asks = isAtLeast(risk, this.#minRisk) && input.deterministic !== true
    const weightOf = this.#record.weights(task.domain)
    const meanings = new Meanings(input.isSame)
    const votes: Vote[] = first === undefined ? [] : [first]
    const most = asks ? Math.min(rule.max, votes.length + (input.voters?.length ?? rule.max)) : 1
    const given = votes.length
    let asked = given
    let failures = 0
    let stopReason: StopReason | undefined
    while (stopReason === undefined && failures < MOST_FAILURES) {
      const batch = Math.min(most, Math.max(rule.min, asked + 1)) - asked
      if (batch <= 0) break
      if (ports?.budget !== undefined && ports.budget.remaining() <= 0) {
        stopReason = 'budget'
        break
      }
      const from = asked
      asked += batch
      const outcomes = await Promise.allSettled(
        Array.from({ length: batch }, (_, index) => input.sample(from + index, input.voters?.[from + index - given])),
      )
      ports?.signal?.throwIfAborted()
      for (const outcome of outcomes) {
        failures = outcome.status === 'fulfilled' ? 0 : failures + 1
        if (outcome.status === 'fulfilled') votes.push(outcome.value)
        else if (isOutOfBudget(outcome.reason)) stopReason = 'budget'
        else if (SvcError.isInstance(outcome.reason) && outcome.reason.code === 'cancelled') throw outcome.reason
      }
      await meanings.compare(votes, kind)
      const clusters = clusterVotes(votes, kind, { weightOf, isAlike: meanings.isAlike })
      const ballot = countBallot(clusters, weightOf)
      if (stopReason !== undefined || asked < rule.min) continue
      if (passes(ballot, rule)) stopReason = 'confident'
      else if (isSettled(ballot, rule, most - asked)) stopReason = 'unreachable'
    }
    const left = most - asked
    const { domain } = task
    return this.#resolve(votes, { ...input, rule, stopReason, left, domain, weightOf, isAlike: meanings.isAlike })
  }

  /** What finished votes say: the same whatever their order. Answers are compared as text unless `kind` says otherwise. */
  tally(votes: readonly Vote[], risk: RiskLevel, kind: AnswerKind = 'text', domain?: string): Consensus {
    const rule = this.#rules[risk]
    const left = rule.max - votes.length
    return this.#resolve(votes, { kind, risk, rule, left, domain, weightOf: this.#record.weights(domain) })
  }

  #resolve(votes: readonly Vote[], how: Circumstances): Consensus {
    const { weightOf, isAlike, domain } = how
    const clusters = clusterVotes(votes, how.kind, { weightOf, isAlike })
    const [leader] = clusters
    const ballot = countBallot(clusters, weightOf)
    const accepts = passes(ballot, how.rule)
    const accepted = accepts && how.checked !== false
    const atStake = isAtLeast(how.risk, 'high')
    const byPerson = how.risk === 'critical' && how.irreversible === true
    const decision =
      byPerson || (!accepted && atStake && !isTied(ballot)) ? 'escalate' : accepted ? 'accept' : 'abstain'
    const answered = new Set(clusters.flatMap((cluster) => cluster.votes))
    const families = new Set([...answered].map(({ family }) => family)).size
    return {
      decision,
      ...(decision === 'accept' && leader !== undefined ? { answer: answerOf(leader, how.kind, how.first) } : {}),
      posterior: ballot.belief,
      confidence: confidenceIn(ballot, { outcomes: this.#calibration, domain, answered: answered.size }),
      votes: [...votes],
      effectiveVotes: effectiveVotes(answered.size, families),
      clusters: clusters.map((cluster, index) => ({
        canonical: cluster.canonical,
        voters: cluster.votes.map(({ voter }) => voter).sort(),
        weight: ballot.counts[index] ?? 0,
      })),
      minority: votes.filter((vote) => answered.has(vote) && leader?.votes.includes(vote) !== true),
      stopReason:
        how.stopReason ??
        (accepts ? 'confident' : how.left > 0 && isSettled(ballot, how.rule, how.left) ? 'unreachable' : 'max'),
      usage: addUsage(...votes.map(({ usage }) => usage)),
    }
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
