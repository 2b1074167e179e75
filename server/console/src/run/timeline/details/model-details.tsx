import { promptOf, type RunEvent } from '@svc/core/client'
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { ErrorText } from '../../../parts/error-note.tsx'
import { Facts } from '../../../parts/facts.tsx'
import { formatCost, formatCount, formatDuration, oneLine } from '../../../parts/format.ts'
import { JsonText, LongText } from '../../../parts/text.tsx'
import { allOf, newest } from '../../../state/events.ts'
import { type DetailsProps, Part } from './part.tsx'

/** A count that may not be known. */
const known = (count: number | undefined): string | undefined => (count === undefined ? undefined : formatCount(count))

/** A model call: what was asked, what was answered, and what it took. */
export function ModelDetails({ span, events, shown: { state } }: DetailsProps) {
  const started = newest(events, 'model.started')?.data
  const ended = newest(events, 'model.completed')?.data
  const failed = newest(events, 'model.failed')?.data
  const call = state.view.modelCalls.find(({ callId, agentId }) => callId === span.callId && agentId === span.agentId)
  const { provider = '', model = span.label } = ended ?? started ?? {}
  const usage = ended?.usage ?? failed?.usage
  const params = started?.params
  const prompt = useMemo(() => promptOf(state.events, span.seq), [state, span])
  return (
    <>
      <Facts
        of={[
          ['Model', `${provider}/${model}`],
          ['Ended with', ended?.finishReason],
          ['Tokens in', known(usage?.inputTokens) ?? (started && `about ${formatCount(started.estimatedInputTokens)}`)],
          ['of them cached', known(usage?.cachedTokens)],
          ['Tokens out', known(usage?.outputTokens)],
          ['of them reasoning', known(usage?.reasoningTokens)],
          ['Counted by', usage?.estimated === true && 'svc, the provider said nothing'],
          ['Cost', ended && (ended.costUsd === null ? 'no price is known' : formatCost(ended.costUsd))],
          ['Latency', ended && (ended.cached ? 'answered from a record' : formatDuration(ended.latencyMs))],
          ['First piece after', ended?.ttftMs !== undefined && formatDuration(ended.ttftMs)],
          ['Temperature', params?.temperature],
          ['Effort', params?.effort],
          ['Longest answer', params?.maxOutputTokens !== undefined && `${formatCount(params.maxOutputTokens)} tokens`],
          ['Seed', params?.seed],
          ['Not seen', ended?.unseen?.join(', ')],
        ]}
      />
      <ErrorText error={failed?.error} />
      <Troubles events={events} />
      {prompt !== undefined && (
        <Part title={`Prompt, ${formatCount(prompt.length)} messages`}>
          {prompt.map(({ role, text, toolCalls = [] }, index) => (
            <Folded key={index} title={role} text={text} isOpen={index === prompt.length - 1}>
              {toolCalls.map(({ callId, tool, args }) => (
                <JsonText key={callId} label={`Arguments of ${tool}`} value={{ [tool]: args }} />
              ))}
            </Folded>
          ))}
        </Part>
      )}
      {params?.tools !== undefined && params.tools.length > 0 && (
        <Part title="Offered tools">
          <p class="mono">{params.tools.join(', ')}</p>
        </Part>
      )}
      {ended !== undefined && ended.toolCalls.length > 0 && (
        <Part title="Called tools">
          {ended.toolCalls.map(({ callId, tool, args }) => (
            <div key={callId}>
              <p class="mono">{tool}</p>
              <JsonText value={args} label={`Arguments of ${tool}`} />
            </div>
          ))}
        </Part>
      )}
      {call !== undefined && call.text !== '' && (
        <Part title="Answer">
          <LongText text={call.text} label="Answer of the model" tone="prose" />
        </Part>
      )}
    </>
  )
}

/** What went wrong on the way to the answer, and what was done about it. */
function Troubles({ events }: { events: readonly RunEvent[] }) {
  const lines = [
    ...allOf(events, 'model.retrying').map(
      ({ data: { tries, delayMs, cause } }) =>
        `Try ${tries} after ${formatDuration(delayMs)}: ${cause.message} (${cause.code})`,
    ),
    ...allOf(events, 'model.adapted').map(
      ({ data: { learnt, cause } }) =>
        `Asked in another way (${learnt.join(', ')})${cause ? `: ${cause.message}` : ''}`,
    ),
    ...allOf(events, 'model.fallback').map(
      ({ data: { from, to, cause } }) => `${to} instead of ${from}: ${cause.message} (${cause.code})`,
    ),
  ]
  if (lines.length === 0) return null
  return (
    <Part title="On the way">
      <ul class="small">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Part>
  )
}

/** Shorter texts are unfolded. */
const SHORT = 240

interface FoldedProps {
  title: string
  text: string
  isOpen: boolean
  children: ComponentChildren
}

/** A text under its title, unfolded where it is short or wanted. */
function Folded({ title, text, isOpen, children }: FoldedProps) {
  return (
    <details class="folded" open={isOpen || text.length < SHORT}>
      <summary class="small">
        <b>{title}</b>{' '}
        <span class="soft">
          {formatCount(text.length)} characters <span class="folded-glance">{oneLine(text, 80)}</span>
        </span>
      </summary>
      {text !== '' && <LongText text={text} label={title} />}
      {children}
    </details>
  )
}
