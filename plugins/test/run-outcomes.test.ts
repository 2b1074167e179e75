import { type RunContext, TaskComplexityAnalyzer } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { OutcomeLog } from '../src/defaults/memory/outcomes.ts'
import { RunOutcomes } from '../src/defaults/memory/run-outcomes.ts'

const test = suite('what an analysis learns from runs')

type Outcome = Parameters<OutcomeLog['add']>[0]
const TASK = { id: 'task-1', description: 'Draft a plan for the garden, then review it' }

function logOf(outcomes: Outcome[]): OutcomeLog & { reads: number } {
  return {
    reads: 0,
    async add(outcome) {
      outcomes.push(outcome)
    },
    async list() {
      this.reads++
      return [...outcomes]
    },
  }
}

/** A run whose records can be handed to another run, as in a replay. */
const runOf = (records = new Map<string, unknown>()): RunContext & { records: Map<string, unknown> } =>
  ({
    records,
    signal: new AbortController().signal,
    warn: () => assert.unreachable('no warning'),
    record: async (key: string, work: () => Promise<unknown>) => {
      if (records.has(key)) return records.get(key)
      const made = await work()
      records.set(key, JSON.parse(JSON.stringify(made)))
      return made
    },
  }) as unknown as RunContext & { records: Map<string, unknown> }

const create = (weights?: TaskComplexityAnalyzer['weights']) =>
  new TaskComplexityAnalyzer(weights === undefined ? {} : { weights })

const failed: Outcome = { features: {}, topology: 'SINGLE', success: false }

test('records what was known, and reads the log once', async () => {
  const log = logOf([failed, failed])
  const outcomes = new RunOutcomes(log, create)
  const run = runOf()
  const analyzer = await outcomes.analyzerFor(run)
  assert.equal(analyzer?.weights.outcomes, { general: { SINGLE: { successes: 0, failures: 2 } } })
  assert.equal([...run.records], [['analyze/weights', analyzer?.weights]])
  assert.is(await outcomes.analyzerFor(runOf()), analyzer)
  assert.is(log.reads, 1)
})

test('a replay knows what its run knew, also where nothing of it was learnt', async () => {
  const outcomes = [failed]
  const first = new RunOutcomes(logOf(outcomes), create)
  const run = runOf()
  const before = (await first.analyzerFor(run))?.analyze(TASK)
  outcomes.push(failed, failed, { ...failed, success: true })
  const later = new RunOutcomes(logOf(outcomes), create)
  assert.not.equal((await later.analyzerFor(runOf()))?.analyze(TASK), before)
  assert.equal((await later.analyzerFor(runOf(run.records)))?.analyze(TASK), before)
  const elsewhere = new RunOutcomes(logOf([]), create)
  assert.equal((await elsewhere.analyzerFor(runOf(run.records)))?.analyze(TASK), before)
})

test.run()
