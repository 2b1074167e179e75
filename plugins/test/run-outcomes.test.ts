import { type RunContext, TaskComplexityAnalyzer } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RunOutcomes } from '../src/run-outcomes.ts'
import type { OutcomeLog } from '../src/stores/outcomes.ts'

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
      if (!records.has(key)) records.set(key, JSON.parse(JSON.stringify(await work())))
      return records.get(key)
    },
  }) as unknown as RunContext & { records: Map<string, unknown> }

const failed: Outcome = { features: {}, topology: 'SINGLE', success: false }

test('records which outcomes were known, in two numbers, and reads the log once', async () => {
  const log = logOf([failed, failed])
  const outcomes = new RunOutcomes(log, () => new TaskComplexityAnalyzer())
  const run = runOf()
  const analyzer = await outcomes.analyzerFor(run)
  assert.equal(analyzer?.weights.outcomes, { general: { SINGLE: { successes: 0, failures: 2 } } })
  assert.equal([...run.records], [['analyze/version', { calibrated: 2, added: 0 }]])
  assert.is(await outcomes.analyzerFor(runOf()), analyzer)
  assert.is(log.reads, 1)
})

test('a replay knows what its run knew, also in another process', async () => {
  const outcomes = [failed]
  const first = new RunOutcomes(logOf(outcomes), () => new TaskComplexityAnalyzer())
  const run = runOf()
  const before = (await first.analyzerFor(run))?.analyze(TASK)
  outcomes.push(failed, failed, { ...failed, success: true })
  const later = new RunOutcomes(logOf(outcomes), () => new TaskComplexityAnalyzer())
  assert.not.equal((await later.analyzerFor(runOf()))?.analyze(TASK), before)
  assert.equal((await later.analyzerFor(runOf(run.records)))?.analyze(TASK), before)
})

test.run()
