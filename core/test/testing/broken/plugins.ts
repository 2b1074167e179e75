/** Plugins that each break one rule of the contract. */
import childProcess, { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Complexity,
  definePlugin,
  type Host,
  type Inputs,
  type MemoryApi,
  type MemoryRecord,
  noUsage,
  type Plan,
  type Plugin,
  type RunContext,
  type Task,
  TaskComplexityAnalyzer,
  TokenBudgetAllocator,
  textMessage,
} from '../../../src/index.ts'
import { sequentialPlan } from '../../../src/testing/index.ts'

/** Taken before anybody could replace it. */
const { spawn } = childProcess

const complexityOf = (task: Task): Complexity => new TaskComplexityAnalyzer().analyze(task)
const planOf = (topology: Plan['topology']): Plan => ({
  ...sequentialPlan(['Count the shops.', 'Compare them.']),
  topology,
})

/** A plugin that answers `analyze` where nobody did before. */
const analyzer = (name: string, answer: (task: Task) => Complexity): (() => Plugin) =>
  definePlugin(name, ({ hooks }) => hooks.analyze.tap(name, (before, { task }) => before ?? answer(task)))

/** The same, but takes its time. */
const slowAnalyzer = (name: string, work: (task: Task, run: RunContext) => unknown): (() => Plugin) =>
  definePlugin(name, ({ hooks }) => {
    hooks.analyze.tapPromise(name, async (before, { task }, run) => {
      if (before === undefined) await work(task, run)
      return before ?? complexityOf(task)
    })
  })

const planner = (name: string, answer: (input: Inputs['plan']) => Plan): (() => Plugin) =>
  definePlugin(name, ({ hooks }) => hooks.plan.tap(name, (before, input) => before ?? answer(input)))

export const outOfSchema = analyzer('out-of-schema', (task) => ({ ...complexityOf(task), score: 7 }))

export const breaksRequest = definePlugin('breaks-request', ({ hooks }) =>
  hooks.modelRequest.tap(
    'breaks-request',
    (answer, request) => ({ ...(answer ?? request), temperature: 'hot' }) as never,
  ),
)

/** Answers whatever was answered before. */
export const overEarlier = definePlugin('over-earlier', ({ hooks }) =>
  hooks.analyze.tap('over-earlier', (_answer, { task }) => ({ ...complexityOf(task), explanation: ['mine'] })),
)

/** Changes an earlier answer in place, and hands back nothing. */
export const inPlace = definePlugin('in-place', ({ hooks }) =>
  hooks.analyze.tap('in-place', (answer) => void answer?.explanation.push('mine')),
)

/** Goes on for a while after its call was aborted. */
export const ignoresAbort = slowAnalyzer('ignores-abort', (task, run) => {
  const request = { model: '', messages: [textMessage('user', task.description)], stream: false }
  return run.model({ ...request, key: 'ask', agentId: 'ask' }).catch(() => sleep(run.signal.aborted ? 150 : 0))
})

export const readsClock = analyzer('reads-clock', (task) => ({
  ...complexityOf(task),
  explanation: [`at ${Date.now()}`],
}))

export const drawsRandom = analyzer('draws-random', (task) => ({ ...complexityOf(task), confidence: Math.random() }))

export const timesItself = analyzer('times-itself', (task) => ({
  ...complexityOf(task),
  estimatedTurns: performance.now(),
}))

/** Keeps what every run asked, beside all runtimes. */
const seen: string[] = []
export const leaks = definePlugin('leaks', ({ hooks }) => {
  hooks.analyze.tap('leaks', (answer, { task }) => {
    seen.push(task.description)
    return answer ?? { ...complexityOf(task), openQuestions: [`asked before: ${seen.length}`] }
  })
})

/** Keeps the first task of its runtime, and answers it to every later run. */
export const remembersInInstance = definePlugin('remembers-in-instance', ({ hooks }) => {
  let first: string | undefined
  hooks.analyze.tap('remembers-in-instance', (answer, { task }) => {
    first ??= task.description
    return answer ?? { ...complexityOf(task), explanation: [first] }
  })
})

/** Asks a server by itself, and does without where it does not answer. */
export const fetches = slowAnalyzer('fetches', () => fetch('http://127.0.0.1:9/').catch(() => undefined))

export const spawns = analyzer('spawns', (task) => {
  const printed = execFileSync(process.execPath, ['--version'], { encoding: 'utf8' })
  return { ...complexityOf(task), explanation: [printed] }
})

export const spawnsEarly = slowAnalyzer('spawns-early', () =>
  spawn(process.execPath, ['--version'], { stdio: 'ignore' }).unref(),
)

export const writesFile = definePlugin('writes-file', ({ hooks }) =>
  hooks.inspect.tapPromise('writes-file', async (answer, { task }) => {
    await writeFile(join(tmpdir(), 'svc-conformance-note'), task.description)
    return answer
  }),
)

export const neverSettles = slowAnalyzer('never-settles', () => new Promise(() => {}))

export const throwsBare = analyzer('throws-bare', () => {
  throw new Error('no idea')
})

export const cyclicPlan = planner('cyclic-plan', ({ allocation }) => {
  const plan = planOf(allocation.topology)
  const [first, second] = plan.steps
  if (first !== undefined && second !== undefined) first.dependsOn = [second.id]
  return plan
})

export const otherTopology = planner('other-topology', ({ allocation }) =>
  planOf(allocation.topology === 'HYBRID' ? 'SINGLE' : 'HYBRID'),
)

/** Shares less than there is. */
export const lostTokens = definePlugin('lost-tokens', ({ hooks }) =>
  hooks.allocate.tap('lost-tokens', (answer, { complexity: { recommendedTopology, score, agents } }) => {
    if (answer !== undefined) return answer
    const allocation = new TokenBudgetAllocator().allocate(recommendedTopology, score, agents)
    return { ...allocation, total: allocation.total + 1 }
  }),
)

/** Finds agreement at any risk, also where the run wants none. */
export const alwaysVotes = definePlugin('always-votes', ({ hooks }) =>
  hooks.consensus.tap('always-votes', (answer, { execution: { output } }) => ({
    decision: 'accept',
    answer: output,
    posterior: 1,
    confidence: 1,
    votes: [{ voter: 'one', family: 'one', answer: output, usage: noUsage() }],
    effectiveVotes: 1,
    clusters: [{ canonical: output, voters: ['one'], weight: 1 }],
    minority: [],
    stopReason: 'confident',
    usage: noUsage(),
    ...answer,
  })),
)

/** Taps under the name of another plugin. */
export const otherName = definePlugin('other-name', ({ hooks }) =>
  hooks.analyze.tap('analyze', (answer, { task }) => answer ?? complexityOf(task)),
)

const kept: MemoryRecord[] = []
const refuse = async (): Promise<never> => {
  throw new Error('nobody asks this')
}

/** A memory that every runtime of the process writes into. */
export const sharedMemory = definePlugin('shared-memory', (host: Host) => {
  const list = async () => ({ data: kept, hasMore: false })
  host.memory.provide({ write: refuse, query: refuse, get: refuse, delete: refuse, list } satisfies MemoryApi)
  host.hooks.inspect.tap('shared-memory', (answer, { task }, run) => {
    if (run.options.memory !== false) kept.push({ id: run.newId('mem'), content: task.description } as MemoryRecord)
    return answer
  })
})
