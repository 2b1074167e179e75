/**
 * ConsensusChecker on recorded answers of 36 voters to school mathematics. The measure is accuracy with voters drawn at
 * random; the rule to beat is "stop at a lead of two, nine votes at most".
 */
import {
  ConsensusChecker,
  type ConsensusCheckerOptions,
  type RiskLevel,
  type ShareOutcome,
  type Vote,
  type VoterOutcome,
} from '@svc/core'
import { canonicalise } from '@svc/core/components'
import { bootstrap, mean, seeded, shuffle } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import { toFolds } from './lib/folds.ts'
import type { Row } from './lib/row.ts'
import { calibrationError } from './lib/scores.ts'

interface GsmPlus {
  voters: { id: string; model: string; config: string; seed: number }[]
  problems: {
    id: string
    gold: string
    perturbation: string
    votes: { voter: number; answer: string; raw: string }[]
  }[]
}

/** One vote on one problem. */
interface Outcome {
  problem: number
  right: boolean
  votes: number
  confidence: number
  accepted: boolean
  share: number
}

const DRAWS = 200
const COMPONENT = 'consensus'
const usage = { inputTokens: 0, outputTokens: 0, estimated: false }

export default async function measure(data: DataFolder): Promise<Row[]> {
  return measureGsmPlus(data.load<GsmPlus>('votes-gsmplus-dev.json'))
}

async function measureGsmPlus(set: GsmPlus): Promise<Row[]> {
  const folds = toFolds(set.problems.map(({ id }) => id))
  const lead = leadOfTwo(set)
  const rows: Row[] = []
  for (const [name, how] of Object.entries<Protocol>({
    'nothing learnt': { kind: 'number', untrained: true },
    'nothing learnt, a formula read as an answer of its own': { kind: 'json', untrained: true },
    'votes weighed by record': { kind: 'number' },
  })) {
    const outcomes = await vote(set, folds, 'medium', how)
    const units = groupByProblem(outcomes, set.problems.length)
    const row = rowsOf(set, units)
    const isJudged = how.kind === 'number'
    rows.push(
      row(`accuracy, medium, ${name}`, accuracy, {
        baseline: lead.accuracy,
        aim: isJudged ? lead.accuracy : null,
        note: `baseline: stop at a lead of two, nine votes at most; ${acceptedOf(outcomes)}`,
      }),
      row(`votes, medium, ${name}`, votesUsed, { baseline: lead.votes, better: 'less' }),
    )
    if (!isJudged) continue
    rows.push(
      row(`accepted and wrong, medium, ${name}`, acceptedWrong, { better: 'less' }),
      row(`calibration error of confidence, medium, ${name}`, calibration, { aim: 0.05, better: 'less' }),
    )
  }
  for (const risk of ['high', 'critical'] as const) {
    const outcomes = await vote(set, folds, risk, { kind: 'number' }, 50)
    const units = groupByProblem(outcomes, set.problems.length)
    const row = rowsOf(set, units)
    rows.push(
      row(`accuracy, ${risk}, votes weighed by record`, accuracy, {
        note: `${votesUsed(units).toFixed(2)} votes; ${acceptedOf(outcomes)}`,
      }),
      row(`accepted and wrong, ${risk}, votes weighed by record`, acceptedWrong, { better: 'less' }),
    )
  }
  return rows
}

/** One list of draws a problem. */
type Units = readonly (readonly Outcome[])[]

const accuracy = (units: Units): number => mean(units.map((draws) => mean(draws.map(({ right }) => Number(right)))))
const votesUsed = (units: Units): number => mean(units.map((draws) => mean(draws.map(({ votes }) => votes))))
const acceptedWrong = (units: Units): number =>
  mean(units.flat().map(({ accepted, right }) => Number(accepted && !right)))
const calibration = (units: Units): number =>
  calibrationError(
    units.flat().map(({ confidence }) => confidence),
    units.flat().map(({ right }) => right),
  )

const acceptedOf = (outcomes: readonly Outcome[]): string => {
  const accepted = outcomes.filter((outcome) => outcome.accepted)
  const right = mean(accepted.map((outcome) => Number(outcome.right)))
  return `accepted ${(accepted.length / outcomes.length).toFixed(3)}, of which right ${right.toFixed(3)}; the leader counts where it abstains`
}

const rowsOf =
  (set: GsmPlus, units: Units) =>
  (measure: string, statistic: (units: Units) => number, more: Partial<Row> = {}): Row => ({
    component: COMPONENT,
    measure: `GSM-Plus ${measure}`,
    n: set.problems.length,
    baseline: null,
    value: statistic(units),
    ...bootstrap(units, statistic, { samples: 500 }),
    aim: null,
    ...more,
  })

interface Protocol {
  /** `json` compares the answers as they are written. */
  kind: 'number' | 'json'
  /** Nothing learnt: every vote weighs the same. */
  untrained?: boolean
}

/** The checker on voters drawn at random: trained on the other folds, tried on this one. */
async function vote(set: GsmPlus, folds: readonly number[], risk: RiskLevel, how: Protocol, draws = DRAWS) {
  const outcomes: Outcome[] = []
  for (const fold of [...new Set(folds)].sort()) {
    const inside = set.problems.flatMap((_, index) => (folds[index] === fold ? [index] : []))
    const training = set.problems.flatMap((_, index) => (folds[index] === fold ? [] : [index]))
    const voters = how.untrained === true ? [] : recordOf(set, training, how.kind)
    const options = { voters }
    // Calibration is learnt on the same folds as the weights, each problem once, however often it is drawn.
    const seen = how.untrained === true ? [] : await draw(set, training, options, risk, how.kind, 20)
    const calibration: ShareOutcome[] = seen.map(({ share, right }) => ({
      share: Math.max(0.01, share),
      right: Number(right) / 20,
      total: 1 / 20,
    }))
    outcomes.push(...(await draw(set, inside, { ...options, calibration }, risk, how.kind, draws)))
  }
  return outcomes
}

async function draw(
  set: GsmPlus,
  problems: readonly number[],
  options: ConsensusCheckerOptions,
  risk: RiskLevel,
  kind: Protocol['kind'],
  draws: number,
): Promise<Outcome[]> {
  const checker = new ConsensusChecker(options)
  const outcomes: Outcome[] = []
  for (const index of problems) {
    const problem = set.problems[index]
    if (problem === undefined) continue
    const random = seedOf(index)
    const answers = new Map(problem.votes.map((one) => [String(one.voter), one.answer]))
    const voters = problem.votes.map((one) => ({ voter: String(one.voter), family: familyOf(set, one.voter) }))
    for (let time = 0; time < draws; time++) {
      shuffle(voters, random)
      const consensus = await checker.check({
        task: { id: problem.id, description: problem.id },
        kind,
        risk,
        voters,
        sample: async (_, voter): Promise<Vote> => ({
          voter: voter?.voter ?? '',
          family: voter?.family ?? '',
          answer: answers.get(voter?.voter ?? '') ?? '',
          usage,
        }),
      })
      const [leader] = consensus.clusters
      const total = consensus.clusters.reduce((sum, { weight }) => sum + weight, 0)
      outcomes.push({
        problem: index,
        right: leader?.canonical === canonicalise(problem.gold, kind),
        votes: consensus.votes.length,
        confidence: consensus.confidence,
        accepted: consensus.decision === 'accept',
        share: (leader?.weight ?? 0) / (total || 1),
      })
    }
  }
  return outcomes
}

/** The same draws for every rule. */
const seedOf = (problem: number): (() => number) => seeded(1000 + problem)

const familyOf = (set: GsmPlus, voter: number): string => `${set.voters[voter]?.model}/${set.voters[voter]?.config}`

/** How often each model and configuration was right; empty answers are no answers. */
function recordOf(set: GsmPlus, problems: readonly number[], kind: Protocol['kind']): VoterOutcome[] {
  const sums = new Map<string, { right: number; total: number }>()
  for (const index of problems) {
    const problem = set.problems[index]
    for (const one of problem?.votes ?? []) {
      const answer = canonicalise(one.answer, kind)
      if (answer === undefined) continue
      const sum = sums.get(familyOf(set, one.voter)) ?? { right: 0, total: 0 }
      sum.total++
      if (answer === canonicalise(problem?.gold, kind)) sum.right++
      sums.set(familyOf(set, one.voter), sum)
    }
  }
  return [...sums].map(([family, sum]) => ({ family, ...sum }))
}

/** The rule to beat: stop as soon as the leader is two ahead, nine votes at most, voters at random. */
function leadOfTwo(set: GsmPlus): { accuracy: number; votes: number } {
  let right = 0
  let votes = 0
  for (const [index, { votes: cast, gold }] of set.problems.entries()) {
    const random = seedOf(index)
    const answers = cast.map(({ answer }) => answer)
    for (let time = 0; time < DRAWS; time++) {
      shuffle(answers, random)
      const counts = new Map<string, number>()
      let asked = 0
      let [leader, ahead]: [string, number] = ['', 0]
      while (asked < 9 && ahead < 2) {
        const answer = answers[asked++] ?? ''
        if (answer === '') continue
        counts.set(answer, (counts.get(answer) ?? 0) + 1)
        const sorted = [...counts].sort((a, b) => b[1] - a[1])
        leader = sorted[0]?.[0] ?? ''
        ahead = (sorted[0]?.[1] ?? 0) - (sorted[1]?.[1] ?? 0)
      }
      votes += asked
      if (leader === gold) right++
    }
  }
  const all = set.problems.length * DRAWS
  return { accuracy: right / all, votes: votes / all }
}

function groupByProblem(outcomes: readonly Outcome[], count: number): Outcome[][] {
  const groups: Outcome[][] = Array.from({ length: count }, () => [])
  for (const outcome of outcomes) groups[outcome.problem]?.push(outcome)
  return groups
}
