/**
 * Measures the pipeline without any model: microseconds of processor time from `runs.create` to the result, warm, one
 * run after the other, each batch in a runtime of its own.
 *
 * Once with seven plugins that answer their stage with a constant, which leaves the pipeline alone: checking the request,
 * seven stages with their answers checked against their schemas, events, journal, store, result. And once with all
 * default plugins but `execute`, which answers without a model. Aim: 60 µs for the pipeline.
 */

import { definePlugin, startRuntime } from '@svc/core'
import { createRuntime } from '@svc/plugins'
import { cpuOf, median, toRow } from './measure.mjs'

const RUNS = 300
const WARM_UP = 10
const ROUNDS = 15

export async function measure() {
  const answers = constantAnswers()
  const constant = definePlugin('constant', ({ hooks, providers }) => {
    providers.add('silent', silent)
    for (const [stage, answer] of Object.entries(answers)) hooks[stage].tap('constant', () => answer)
  })
  const executing = definePlugin('executing', ({ hooks }) => {
    hooks.execute.tap('executing', () => answers.execute)
  })
  const pipeline = () => startRuntime({ plugins: [{ plugin: constant() }], defaultModel: 'silent/none' })
  const defaults = () => createRuntime({}, { env: {}, plugins: [executing()] })
  return [
    toRow({ name: 'pipeline alone, constant plugins', value: await costOf(pipeline), unit: 'µs CPU/run', aim: 60 }),
    toRow({ name: 'pipeline alone, default plugins', value: await costOf(defaults), unit: 'µs CPU/run' }),
  ]
}

async function costOf(start) {
  const costs = []
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const runtime = await start()
    costs.push((await cpuOf(() => repeat(runtime))) / RUNS)
    await runtime.close()
  }
  return median(costs.slice(WARM_UP))
}

async function repeat({ runs }) {
  for (let i = 0; i < RUNS; i++) {
    const { id } = await runs.create({ task: 'Say what two and two is.' })
    await runs.wait(id)
    const { status, error } = await runs.result(id)
    if (status !== 'completed') throw new Error(`the run ended ${status}: ${error?.message}`)
  }
}

const silent = {
  id: 'silent',
  models: async () => [{ id: 'none' }],
  generate() {
    throw new Error('no model is asked here')
  },
}

function constantAnswers() {
  const usage = { inputTokens: 0, outputTokens: 0, estimated: false }
  const utilities = { SINGLE: 1, SEQUENTIAL: 0, PARALLEL: 0, CENTRALIZED: 0, DECENTRALIZED: 0, HYBRID: 0 }
  const reserves = { coordination: 0, synthesis: 0, reflection: 0, consensus: 0, final: 0, contingency: 0 }
  const step = {
    id: 'step-1',
    objective: 'Say what two and two is.',
    agentId: 'agent-1',
    role: 'worker',
    dependsOn: [],
    inputs: [],
    acceptance: ['answers'],
    tools: [],
    estimatedTokens: 100,
    risk: 'read',
    maxTries: 1,
  }
  return {
    analyze: {
      taskId: 'task',
      score: 0.1,
      recommendedTopology: 'SINGLE',
      confidence: 1,
      agents: 1,
      features: {},
      contributions: {},
      utilities,
      alternatives: [],
      estimatedTurns: 1,
      explanation: [],
      openQuestions: [],
      source: 'lexical',
    },
    allocate: {
      total: 64_000,
      topology: 'SINGLE',
      shares: [{ agentId: 'agent-1', role: 'worker', tokens: 64_000 }],
      reserves,
      underfunded: false,
      explanation: [],
    },
    plan: {
      id: 'plan-1',
      topology: 'SINGLE',
      agents: [{ agentId: 'agent-1', name: 'Agent 1', role: 'worker' }],
      steps: [step],
      source: 'deterministic',
      criticalPath: ['step-1'],
      warnings: [],
    },
    execute: { status: 'completed', output: 'Four.', steps: [], agents: [], artifacts: [] },
    reflect: { verdict: 'pass', score: 1, confidence: 1, checks: [], lessons: [], usage },
    consensus: {
      decision: 'accept',
      posterior: 1,
      confidence: 1,
      votes: [],
      effectiveVotes: 1,
      clusters: [],
      minority: [],
      stopReason: 'confident',
      usage,
    },
    inspect: { grade: 'healthy', score: 1, issues: [], signals: {} },
  }
}
