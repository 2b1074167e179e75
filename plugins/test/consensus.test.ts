import { type ModelRequest, type RunOptions, type SvcConfig, type Tool, toText, type Vote } from '@svc/core'
import { type Script, scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { allocate } from '../src/defaults/allocate.ts'
import { analyze } from '../src/defaults/analyze.ts'
import { type ConsensusOptions, consensus } from '../src/defaults/consensus.ts'
import { orchestrate } from '../src/defaults/orchestrate.ts'
import { type Ran, runTask } from './fixtures/run-task.ts'

const test = suite('consensus plugin')
const QUESTION = 'How many cranes stand in the harbour?'

interface Setting {
  options?: RunOptions
  plugin?: ConsensusOptions
  config?: SvcConfig
  deterministic?: boolean
  other?: Script
}

type Voted = Ran & { votes: Vote[] }

/** Vote requests are those without tools; the agent's own have the tool `count`. */
const isVote = ({ tools = [] }: ModelRequest): boolean => tools.length === 0

async function run(answers: { agent: string; votes: string[] }, setting: Setting = {}): Promise<Voted> {
  let cast = 0
  let called = false
  const script: Script = (request) => {
    if (isVote(request)) return answers.votes[cast++] ?? ''
    if (called) return answers.agent
    called = true
    return { toolCalls: [{ tool: 'count', args: {} }] }
  }
  const count: Tool = {
    id: 'count',
    description: 'counts cranes',
    parameters: { type: 'object' },
    risk: 'read',
    run: async () => 'the register lists seven cranes',
  }
  const ran = await runTask(
    script,
    { task: QUESTION, topology: 'SINGLE', ...setting.options },
    {
      plugins: [analyze(), allocate(), orchestrate(), consensus(setting.plugin ?? {})],
      tools: [count],
      providers: [scriptedProvider('other', setting.other ?? (() => '7'))],
      model: { deterministic: setting.deterministic ?? false },
      ...(setting.config && { config: setting.config }),
    },
  )
  const votes = ran.events.filter(({ type }) => type === 'consensus.vote').map(({ data }) => data as unknown as Vote)
  return { ...ran, votes }
}

const high: RunOptions = { riskLevel: 'high' }

test('a high-risk run is voted on from the same evidence, without the answer', async () => {
  const { result, events, provider, votes } = await run(
    { agent: 'There are 7 cranes.', votes: ['7', '7 cranes'] },
    { options: high },
  )
  assert.is(result.status, 'completed')
  assert.is(result.consensus?.decision, 'accept')
  assert.is(result.summary, 'There are 7 cranes.')
  assert.is(votes.length, 3)
  const asked = provider.requests.filter(isVote)
  assert.is(asked.length, 2)
  for (const request of asked) {
    const text = toText(request.messages.flatMap(({ content }) => content))
    assert.match(text, QUESTION)
    assert.match(text, 'the register lists seven cranes')
    assert.not.match(text, 'There are 7 cranes.')
  }
  const types = events.map(({ type }) => type).filter((type) => type.startsWith('consensus'))
  assert.equal(types, ['consensus.started', 'consensus.vote', 'consensus.vote', 'consensus.vote', 'consensus.resolved'])
  assert.equal(events.find(({ type }) => type === 'consensus.started')?.data, {
    question: QUESTION,
    models: ['scripted/scripted'],
  })
})

test('voters who agree on another answer replace it, and the minority is named', async () => {
  const { result } = await run({ agent: 'There are 9 cranes.', votes: ['7', '7', '7', '7', '7'] }, { options: high })
  assert.is(result.consensus?.decision, 'accept')
  assert.is(result.summary, '7')
  assert.equal(
    result.consensus?.minority.map(({ voter }) => voter),
    ['vote-1'],
  )
})

test('a split vote leaves the answer, with a warning that a person should look', async () => {
  const { result } = await run({ agent: '7', votes: ['8', '7', '8', '9', '8', '7'] }, { options: high })
  assert.is.not(result.consensus?.decision, 'accept')
  assert.is(result.summary, '7')
  assert.ok(result.warnings.some(({ code }) => code.startsWith('consensus_')))
})

test('the run decides whether votes are wanted', async () => {
  const never = await run({ agent: '7', votes: [] }, { options: { ...high, consensus: false } })
  assert.is(never.result.consensus, undefined)
  const always = await run({ agent: '7', votes: ['7', '7'] }, { options: { consensus: true } })
  assert.is(always.result.consensus?.decision, 'accept')
})

test('the config decides from which risk on, with which quorum, and who votes', async () => {
  const medium = await run(
    { agent: '7', votes: ['7'] },
    {
      options: { riskLevel: 'medium' },
      config: { consensus: { minRisk: 'medium' } },
    },
  )
  assert.is(medium.result.consensus?.decision, 'accept')
  const quorum = await run(
    { agent: '7', votes: ['8', '7', '7', '7', '7', '7'] },
    {
      options: high,
      config: { consensus: { threshold: 1 } },
    },
  )
  assert.is.not(quorum.result.consensus?.decision, 'accept')
  const models = await run(
    { agent: '7', votes: ['7'] },
    {
      options: high,
      config: { consensus: { models: ['other/scripted', 'scripted/scripted'] } },
    },
  )
  assert.equal(models.votes.map(({ family }) => family).sort(), [
    'other/scripted',
    'scripted/scripted',
    'scripted/scripted',
  ])
})

test('votes that cannot be had leave the answer, with a warning that says why', async () => {
  const { result } = await run(
    { agent: 'There are 7 cranes.', votes: [] },
    {
      options: high,
      config: { consensus: { models: ['other/scripted'] } },
      other: () => ({ error: new Error('no route to the other model') }),
    },
  )
  assert.is(result.status, 'completed')
  assert.is(result.summary, 'There are 7 cranes.')
  assert.is.not(result.consensus?.decision, 'accept')
  const warning = result.warnings.find(({ code }) => code === 'consensus_votes_missing')
  assert.match(warning?.message ?? '', 'one vote, its own')
})

test('a model says whether texts mean the same, where it is asked for, and its cost is counted', async () => {
  const agent = 'The crane at the north quay has to be repaired.'
  const other = 'Repair is due for the machine in the north.'
  const said = (same: boolean) => JSON.stringify({ firstImpliesSecond: same, secondImpliesFirst: true })
  const ask = (llm: boolean, same: boolean) =>
    run({ agent, votes: [other, other, said(same)] }, { options: { riskLevel: 'high' }, plugin: { llm } })
  const joined = await ask(true, true)
  assert.is(joined.result.consensus?.clusters.length, 1)
  assert.is(joined.result.consensus?.decision, 'accept')
  const votes = joined.votes.reduce((sum, { usage }) => sum + usage.inputTokens, 0)
  assert.ok((joined.result.consensus?.usage.inputTokens ?? 0) > votes)
  const apart = await ask(true, false)
  assert.ok((apart.result.consensus?.clusters.length ?? 0) > 1)
  const words = await ask(false, true)
  assert.ok((words.result.consensus?.clusters.length ?? 0) > 1)
})

test.run()
