import type { ErrorInfo, EventData, EventOf, EventType, RunEvent } from '@svc/core/client'
import {
  formatCost,
  formatCount,
  formatDuration,
  oneLine,
  percent,
  plural,
  shortId,
  tokensOf,
} from '../../../parts/format.ts'

type Describe = { [T in EventType]: (data: EventData[T], event: EventOf<T>) => string }

const MOST = 200

const failure = ({ code, message }: ErrorInfo): string => `${code}: ${message}`
const tokens = (count: number): string => `${formatCount(count)} tokens`
const json = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const list = (names: readonly string[]): string => names.join(', ') || 'nobody'
const passed = (checks: EventData['reflection.completed']['checks']): string => {
  const made = checks.filter(({ result }) => result !== 'na')
  const good = made.filter(({ result }) => result === 'pass')
  return made.length === 0 ? 'nothing could be checked' : `${good.length} of ${plural(made.length, 'check')} passed`
}
const resultOf = ({ result }: EventData['run.completed']): string =>
  'error' in result && result.error !== undefined ? failure(result.error) : 'summary' in result ? result.summary : ''

const TEXTS: Describe = {
  'run.created': ({ task, mode }) => `${mode === 'execute' ? '' : `${mode}: `}${task}`,
  'run.queued': ({ position }) => `place ${formatCount(position)} in the queue`,
  'run.started': ({ attempt }) => (attempt === 1 ? 'the run begins' : `attempt ${attempt} begins`),
  'run.waiting': ({ reason, input }) => `waits for ${WAITS[reason]}${input === undefined ? '' : `: ${input.prompt}`}`,
  'run.resumed': ({ by }) => `goes on: ${by}`,
  'run.recovered': ({ recoveries, replayedEvents, indeterminate }) =>
    `taken up again after its process was gone (${recoveries}): ${plural(replayedEvents, 'event')} kept${indeterminate.length > 0 ? `, ${plural(indeterminate.length, 'tool call')} with an unknown end` : ''}`,
  'run.cancelling': ({ reason, by }) => `${by} cancels: ${reason}`,
  'run.completed': (data) => resultOf(data) || 'the run is completed',
  'run.incomplete': (data) => resultOf(data) || 'a limit ended the run',
  'run.failed': (data) => resultOf(data) || 'the run failed',
  'run.cancelled': (data) => resultOf(data) || 'the run was cancelled',
  'stage.started': ({ plugins }, { stage = '' }) => `${stage}: asks ${list(plugins)}`,
  'stage.completed': ({ durationMs, plugin }, { stage = '' }) =>
    `${stage}: ${plugin === '' ? 'nobody answered' : `${plugin} answered`} in ${formatDuration(durationMs)}`,
  'stage.failed': ({ error }, { stage = '' }) => `${stage}: ${failure(error)}`,
  'analysis.completed': ({ score, recommendedTopology, agents }) =>
    `complexity ${score.toFixed(2)}: ${recommendedTopology}, ${plural(agents, 'agent')}`,
  'budget.allocated': ({ total, shares }) => `${tokens(total)} for ${plural(shares.length, 'agent')}`,
  'plan.created': ({ topology, steps }) => `${topology}: ${plural(steps.length, 'step')}`,
  'plan.revised': ({ reason, plan }) => `${plural(plan.steps.length, 'step')} now: ${reason}`,
  'budget.updated': ({ agentId, used, remaining, costUsd }) =>
    `${agentId || 'the run'} has used ${tokens(used)}, ${formatCount(remaining)} remain, ${formatCost(costUsd)} so far`,
  'budget.warning': ({ scope, ratio }) => `${scope}: ${percent(ratio)} is used`,
  'budget.exhausted': ({ scope, limit, used }) => `${scope}: ${formatCount(used)} of ${tokens(limit)} are used up`,
  'topology.updated': ({ nodes, edges }) =>
    edges.length > 0
      ? `${plural(nodes.length, 'node')}, ${plural(edges.length, 'edge')}`
      : nodes.map(({ id, status }) => `${id} ${status}`).join(', ') || 'no change',
  'agent.created': ({ id, name, role }) => `${name || id}, ${role || 'agent'}`,
  'agent.started': ({ objective, tokens: share }) => `has ${tokens(share)} for: ${objective}`,
  'agent.completed': ({ output, durationMs }) => `in ${formatDuration(durationMs)}: ${output}`,
  'agent.failed': ({ error, willRetry }) => `${failure(error)}${willRetry ? '; tries again' : ''}`,
  'agent.cancelled': ({ reason }) => reason || 'cancelled',
  'agent.steered': ({ messages }) => messages.map(({ by, text }) => `${by} says: ${text}`).join('; '),
  'agent.handoff': ({ from, to, reason }) => `${from} to ${to}: ${reason}`,
  'agent.message': ({ from, to, content }) => `${from} to ${list(to)}: ${content}`,
  'step.started': ({ objective }, { stepId = '' }) => `${stepId}: ${objective}`,
  'step.completed': ({ output }, { stepId = '' }) => `${stepId}: ${output}`,
  'step.failed': ({ error }, { stepId = '' }) => `${stepId}: ${failure(error)}`,
  'step.skipped': ({ why }, { stepId = '' }) => `${stepId}: ${why}`,
  'step.retrying': ({ tries, error, check }, { stepId = '' }) =>
    `${stepId}: try ${tries}, since ${error !== undefined ? failure(error) : (check?.evidence ?? 'the last one was not good enough')}`,
  'model.started': ({ provider, model, estimatedInputTokens }) =>
    `asks ${provider}/${model} with about ${tokens(estimatedInputTokens)}`,
  'model.completed': ({ model, toolCalls, usage, costUsd, latencyMs, cached }) =>
    `${model} ${toolCalls.length > 0 ? `calls ${list(toolCalls.map(({ tool }) => tool))}` : 'answers'}${cached ? ' from a record' : ` in ${formatDuration(latencyMs)}`}, ${tokens(tokensOf(usage))}, ${formatCost(costUsd)}`,
  'model.failed': ({ model, error }) => `${model}: ${failure(error)}`,
  'model.retrying': ({ tries, delayMs, cause }) =>
    `try ${tries} in ${formatDuration(delayMs)}, since ${failure(cause)}`,
  'model.adapted': ({ provider, learnt }) => `${provider} is asked in another way from now on: ${list(learnt)}`,
  'model.fallback': ({ from, to, cause }) => `${to} instead of ${from}, since ${failure(cause)}`,
  'message.completed': ({ role, content }) =>
    `${role}: ${content.map((part) => (part.type === 'text' ? part.text : part.type === 'json' ? json(part.json) : `[${part.type}]`)).join(' ')}`,
  'tool.requested': ({ tool, args }) => `${tool} ${json(args)}`,
  'tool.started': ({ tool, sandbox }) => `${tool}${sandbox === 'none' ? '' : ` in the sandbox ${sandbox}`}`,
  'tool.completed': ({ tool, result, durationMs }) => `${tool} in ${formatDuration(durationMs)}: ${result}`,
  'tool.failed': ({ tool = 'tool', error }) => `${tool}: ${failure(error)}`,
  'tool.denied': ({ tool = 'tool', rule, reason }) => `${tool}: ${reason || rule}`,
  'approval.requested': ({ tool, reason, args }) => `may ${tool} be called? ${reason} ${json(args)}`,
  'approval.resolved': ({ decision, by, note }) =>
    `${by}: ${decision}${note === undefined || note === '' ? '' : `, ${note}`}`,
  'approval.expired': () => 'nobody answered in time',
  'consensus.started': ({ question, models }) => `${list(models)}: ${question}`,
  'consensus.vote': ({ voter, answer }) => `${voter}: ${json(answer)}`,
  'consensus.resolved': ({ decision, posterior, votes }) =>
    `${decision}: ${plural(votes.length, 'vote')}, belief ${percent(posterior)}`,
  'reflection.completed': ({ verdict, checks }) => `${verdict}: ${passed(checks)}`,
  'inspect.issue': ({ severity, message, count }) => `${severity}: ${message}${count > 1 ? ` (${count} times)` : ''}`,
  'memory.written': ({ id, layer, bytes }) => `${layer} …${shortId(id)}, ${formatCount(bytes)} bytes`,
  'memory.recalled': ({ query, ids }) => `${plural(ids.length, 'record')} for: ${query}`,
  'plugin.error': ({ plugin, stage, error }) => `${plugin} in ${stage}: ${failure(error)}`,
  'message.delta': ({ text }) => text,
  'message.reset': ({ reason }) => reason,
  'message.snapshot': ({ textSoFar }) => textSoFar,
  'reasoning.delta': ({ text }) => text,
  'tool.output': ({ stream, chunk }) => `${stream}: ${chunk}`,
  'log.line': ({ level, message }) => `${level}: ${message}`,
  'stream.warning': ({ code }) => code,
}

const WAITS = {
  approval: 'an approval',
  input: 'an answer',
  tool_call: 'its client to make a call',
  indeterminate_tool: 'a decision about a tool call whose end is unknown',
  replay_diverged: 'a decision whether it goes on under another config',
  run_poisoned: 'a decision whether it goes on, as it ended its process again and again',
} as const

/** What an event says, as plain text on one line. Of a type that this console does not know: its data. */
export function describeEvent(event: RunEvent): string {
  const type: string = event.type
  const describe = Object.hasOwn(TEXTS, type)
    ? (TEXTS[type as EventType] as (data: unknown, event: RunEvent) => string)
    : undefined
  const said = describe === undefined ? undefined : wordsOf(() => describe(event.data, event))
  return oneLine(json(said ?? event.data), MOST)
}

/** undefined where the data is not that of its type. */
function wordsOf(describe: () => unknown): unknown {
  try {
    return describe()
  } catch {
    return undefined
  }
}
