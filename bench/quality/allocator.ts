/**
 * TokenBudgetAllocator: how many of the tokens that the agents of 24 hand-built team runs needed are served when the budget
 * is 1.5 times the need.
 */
import { TaskComplexityAnalyzer, TokenBudgetAllocator } from '@svc/core'
import { SharePool } from '../../core/src/runtime/budget/share-pool.ts'
import { bootstrap, quantile } from './lib/bootstrap.ts'
import type { DataFolder } from './lib/data.ts'
import type { Row } from './lib/row.ts'

export default async function measure(data: DataFolder): Promise<Row[]> {
  return served(data)
}

interface TeamRun {
  part: string
  question: string
  history: { agent: string; content?: string | null }[]
}

interface Need {
  question: string
  turns: { agent: string; tokens: number }[]
  total: number
}

const SPARE = 1.5

function served(data: DataFolder): Row[] {
  const runs: Need[] = data
    .load<TeamRun[]>('who-and-when-dev.jsonl')
    .filter(({ part }) => part === 'hand-crafted')
    .map(({ question, history }) => {
      const turns = history.flatMap(({ agent, content }) =>
        agent === 'human' ? [] : [{ agent, tokens: Math.ceil((content?.length ?? 0) / 4) }],
      )
      return { question, turns, total: turns.reduce((sum, { tokens }) => sum + tokens, 0) }
    })
  const team = [...new Set(runs.flatMap(({ turns }) => turns.map(({ agent }) => agent)))]
  team.sort((a, b) => Number(b === 'Orchestrator') - Number(a === 'Orchestrator'))
  const needOf = (run: Need, agent: string): number =>
    run.turns.reduce((sum, turn) => sum + (turn.agent === agent ? turn.tokens : 0), 0)
  const fixed = (sharesOf: (run: Need) => number[]) => (run: Need) => {
    const shares = sharesOf(run)
    return team.reduce((sum, agent, at) => sum + Math.min(needOf(run, agent), (shares[at] ?? 0) * SPARE * run.total), 0)
  }
  const learnt = (summary: (values: number[]) => number) =>
    fixed((run) => {
      const others = runs.filter((other) => other !== run)
      const shares = team.map((agent) => summary(others.map((other) => needOf(other, agent) / other.total)))
      const whole = shares.reduce((sum, share) => sum + share, 0)
      return shares.map((share) => share / whole)
    })
  const high = learnt((values) =>
    quantile(
      values.sort((a, b) => a - b),
      0.9,
    ),
  )
  const analyzer = new TaskComplexityAnalyzer()
  const allocator = new TokenBudgetAllocator()
  const pooled = (run: Need): number => {
    const { score } = analyzer.analyze({ id: 'run', description: run.question })
    const allocation = allocator.allocate('CENTRALIZED', score, team.length, { total: Math.ceil(SPARE * run.total) })
    const pool = new SharePool(allocation)
    // Only the lead has planned work: as in a run, an agent without work returns its share until it is called.
    for (const { agentId } of allocation.shares.slice(1)) pool.finish(agentId)
    let short = 0
    for (const { agent, tokens } of run.turns) {
      const agentId = `agent-${team.indexOf(agent) + 1}`
      short += pool.spend(agentId, tokens).short
      pool.finish(agentId) // its turn is over; it takes its own back when it has another
    }
    return run.total - short
  }
  const share =
    (serve: (run: Need) => number) =>
    (sample: readonly Need[]): number =>
      sample.reduce((sum, run) => sum + serve(run), 0) / sample.reduce((sum, { total }) => sum + total, 0)
  const starved = (serve: (run: Need) => number): number =>
    runs.filter((run) => serve(run) < run.total - 0.5).length / runs.length
  return [
    {
      component: 'allocator',
      measure: 'tokens served at 1.5 x the need',
      n: runs.length,
      baseline: share(high)(runs),
      value: share(pooled)(runs),
      ...bootstrap(runs, share(pooled)),
      aim: 1,
      note: `runs in which some agent starves: ours ${starved(pooled).toFixed(3)}, shares by the 90th percentile of the other runs (baseline) ${starved(high).toFixed(3)}, equal shares ${starved(fixed(() => team.map(() => 1 / team.length))).toFixed(3)}`,
    },
  ]
}
