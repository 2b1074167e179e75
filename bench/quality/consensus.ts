/** ConsensusChecker on recorded answers of 36 voters to school mathematics, and on three sets of people's votes. */
import {
  ConsensusChecker,
  type ConsensusCheckerOptions,
  type RiskLevel,
  type ShareOutcome,
  type Vote,
  type VoterOutcome,
} from '@svc/core'
import { canonicalise, estimateVoters } from '@svc/core/components'
import { bootstrap, mean, seeded } from './lib/bootstrap.ts'
import { labelCrowd } from './lib/crowd.ts'
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

interface CrowdSets {
  sets: {
    name: string
    labels: string[]
    workers: number
    items: { id: string; gold: number; votes: [number, number][] }[]
  }[]
}

/** One vote on one problem. */
interface Outcome {
  problem: number
  right: boolean
  votes: number
  confidence: number
  belief: number
  accepted: boolean
  shares: number
}

const DRAWS = 200
const COMPONENT = 'consensus'
const usage = { inputTokens: 0, outputTokens: 0, estimated: false }

export default async function measure(data: DataFolder): Promise<Row[]> {
  return [...(await measureGsmPlus(data.load<GsmPlus>('votes-gsmplus-dev.json'))), ...measureCrowds(data)]
}

async function measureGsmPlus(set: GsmPlus): Promise<Row[]> {
  const folds = toFolds(set.problems.map(({ id }) => id))
  const strict: Reading = ({ answer }) => answer
  const rows: Row[] = []
  const lead = leadOfTwo(set)
  for (const [name, how] of Object.entries<Protocol>({
    'voters at random': { order: 'given' },
    'voters by record from the third on': { order: 'record' },
    'voters by record, symbolic answers read as undetermined': { order: 'record', read: undetermined },
    'voters at random, equal weights': { order: 'given', untrained: true },
  })) {
    const outcomes = await vote(set, folds, 'medium', { read: strict, ...how })
    const units = groupByProblem(outcomes, set.problems.length)
    const accuracy = (of: readonly Outcome[][]) => mean(of.map((one) => mean(one.map(({ right }) => Number(right)))))
    const used = mean(outcomes.map(({ votes }) => votes))
    const accepted = outcomes.filter((one) => one.accepted)
    const first = how.order === 'record' && how.read === undefined
    // The set's own protocol draws voters at random: the aim is held against that row, not only against the better one.
    const isJudged = how.read === undefined && how.untrained !== true
    const note =
      (how.order === 'record' ? 'chooses its voters, where the protocol draws them at random; ' : '') +
      `accepted ${(accepted.length / outcomes.length).toFixed(3)}, of which right ` +
      `${mean(accepted.map(({ right }) => Number(right))).toFixed(3)}; leader counted where it abstains`
    rows.push(
      {
        component: COMPONENT,
        measure: `GSM-Plus accuracy, medium, ${name}`,
        n: set.problems.length,
        baseline: lead.accuracy,
        value: accuracy(units),
        ...bootstrap(units, accuracy),
        aim: isJudged ? 0.913 : null,
        note,
      },
      {
        component: COMPONENT,
        measure: `GSM-Plus votes, medium, ${name}`,
        n: set.problems.length,
        baseline: lead.votes,
        value: used,
        ...bootstrap(units, (sample) => mean(sample.map((one) => mean(one.map(({ votes }) => votes))))),
        aim: isJudged ? 2.7 : null,
        better: 'less',
      },
    )
    if (!first) continue
    const ece = (of: readonly Outcome[][]) =>
      calibrationError(
        of.flat().map(({ confidence }) => confidence),
        of.flat().map(({ right }) => right),
      )
    rows.push({
      component: COMPONENT,
      measure: 'GSM-Plus calibration error of confidence, medium',
      n: set.problems.length,
      baseline: null,
      value: ece(units),
      ...bootstrap(units, ece, { samples: 300 }),
      aim: 0.05,
      better: 'less',
      note: 'weights and calibration learnt on the other four fifths of the problems',
    })
  }
  for (const risk of ['high', 'critical'] as const) {
    const outcomes = await vote(set, folds, risk, { read: strict, order: 'record' }, 50)
    const units = groupByProblem(outcomes, set.problems.length)
    const accuracy = (of: readonly Outcome[][]) => mean(of.map((one) => mean(one.map(({ right }) => Number(right)))))
    const accepted = outcomes.filter((one) => one.accepted)
    const falsely = (of: readonly Outcome[][]) =>
      mean(of.flat().map(({ accepted: taken, right }) => Number(taken && !right)))
    rows.push(
      {
        component: COMPONENT,
        measure: `GSM-Plus accuracy, ${risk}, voters by record`,
        n: set.problems.length,
        baseline: null,
        value: accuracy(units),
        ...bootstrap(units, accuracy),
        aim: null,
        note: `${mean(outcomes.map(({ votes }) => votes)).toFixed(2)} votes; accepted ${(accepted.length / outcomes.length).toFixed(3)}`,
      },
      {
        component: COMPONENT,
        measure: `GSM-Plus accepted and wrong, ${risk}`,
        n: set.problems.length,
        baseline: null,
        value: falsely(units),
        ...bootstrap(units, falsely),
        aim: null,
        better: 'less',
      },
    )
  }
  return rows
}

type Reading = (vote: { answer: string; raw: string }) => string

interface Protocol {
  order: 'record' | 'given'
  read?: Reading
  /** Nothing learnt: every vote weighs the same. */
  untrained?: boolean
}

/**
 * An answer with a letter that stands for an unknown names no number: it says that there is not enough to determine it,
 * as `none` does.
 */
const undetermined: Reading = ({ answer }) =>
  answer !== '' &&
  answer !== 'none' &&
  canonicalise(answer, 'number') !== answer &&
  /(?:^|[^a-z\\])[a-z](?:[^a-z]|$)/i.test(answer)
    ? 'none'
    : answer

/** The checker on voters drawn at random: trained on the other folds, tried on this one. */
async function vote(set: GsmPlus, folds: readonly number[], risk: RiskLevel, how: Protocol, draws = DRAWS) {
  const read = how.read ?? (({ answer }) => answer)
  const outcomes: Outcome[] = []
  for (const fold of [...new Set(folds)].sort()) {
    const inside = set.problems.flatMap((_, index) => (folds[index] === fold ? [index] : []))
    const training = set.problems.flatMap((_, index) => (folds[index] === fold ? [] : [index]))
    const voters = how.untrained === true ? [] : recordOf(set, training, read)
    // Calibration is learnt on the same folds as the weights, each problem once, however often it is drawn.
    const seen = await draw(set, training, { voters }, risk, how, read, 20)
    const calibration: ShareOutcome[] = seen.map(({ shares, right }) => ({
      share: Math.max(0.01, shares),
      right: Number(right) / 20,
      total: 1 / 20,
    }))
    outcomes.push(...(await draw(set, inside, { voters, calibration }, risk, how, read, draws)))
  }
  return outcomes
}

async function draw(
  set: GsmPlus,
  problems: readonly number[],
  options: ConsensusCheckerOptions,
  risk: RiskLevel,
  { order, untrained }: Protocol,
  read: Reading,
  draws: number,
): Promise<Outcome[]> {
  const checker = new ConsensusChecker(options)
  const outcomes: Outcome[] = []
  for (const index of problems) {
    const problem = set.problems[index]
    if (problem === undefined) continue
    const random = seeded(1000 + index)
    const answers = new Map(problem.votes.map((one) => [String(one.voter), read(one)]))
    const voters = problem.votes.map((one) => ({ voter: String(one.voter), family: familyOf(set, one.voter) }))
    for (let time = 0; time < draws; time++) {
      shuffle(voters, random)
      const consensus = await checker.check({
        task: { id: problem.id, description: problem.id },
        kind: 'json',
        risk,
        order,
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
        right: leader?.canonical === canonicalise(problem.gold, 'json'),
        votes: consensus.votes.length,
        confidence: consensus.confidence,
        belief: consensus.posterior,
        accepted: consensus.decision === 'accept',
        shares: untrained === true ? (leader?.weight ?? 0) / Math.max(1, total) : consensus.posterior,
      })
    }
  }
  return outcomes
}

const familyOf = (set: GsmPlus, voter: number): string => `${set.voters[voter]?.model}/${set.voters[voter]?.config}`

/** How often each model and configuration was right; empty answers are no answers. */
function recordOf(set: GsmPlus, problems: readonly number[], read: Reading): VoterOutcome[] {
  const sums = new Map<string, { right: number; total: number }>()
  for (const index of problems) {
    const problem = set.problems[index]
    for (const one of problem?.votes ?? []) {
      const answer = read(one)
      if (answer === '') continue
      const sum = sums.get(familyOf(set, one.voter)) ?? { right: 0, total: 0 }
      sum.total++
      if (answer === problem?.gold) sum.right++
      sums.set(familyOf(set, one.voter), sum)
    }
  }
  return [...sums].map(([family, sum]) => ({ family, ...sum }))
}

/** The rule to beat: stop as soon as the leader is two ahead, nine votes at most, voters at random. */
function leadOfTwo(set: GsmPlus): { accuracy: number; votes: number } {
  const random = seeded(7)
  let right = 0
  let votes = 0
  for (const { votes: cast, gold } of set.problems) {
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

function shuffle<T>(list: T[], random: () => number): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const held = list[at] as T
    list[at] = list[other] as T
    list[other] = held
  }
}

function measureCrowds(data: DataFolder): Row[] {
  return data.load<CrowdSets>('crowd-dev.json').sets.map(({ name, labels, items }) => {
    const estimate = estimateVoters(
      items.flatMap(({ id, votes }) =>
        votes.map(([worker, label]) => ({ item: id, voter: String(worker), label: labels[label] ?? '' })),
      ),
    )
    const majority = labelCrowd(items, labels.length, 'majority')
    const dawidSkene = labelCrowd(items, labels.length, 'dawid-skene')
    const right = items.map(({ id, gold }) => Number(estimate.items.get(id)?.label === labels[gold]))
    return {
      component: COMPONENT,
      measure: `crowd ${name}, worker weights`,
      n: items.length,
      baseline: Math.max(majority, dawidSkene),
      value: mean(right),
      ...bootstrap(right, mean),
      aim: Math.max(majority, dawidSkene) - 0.01,
      note: `majority ${majority.toFixed(3)}, Dawid-Skene ${dawidSkene.toFixed(3)}; chosen without gold: ${estimate.model}`,
    }
  })
}
