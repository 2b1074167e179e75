import { promptOf, type RunEvent } from '@svc/core/client'
import { useMemo } from 'preact/hooks'
import { formatCost, formatCount, formatDuration } from '../../../parts/format.ts'
import { JsonText, LongText } from '../../../parts/text.tsx'
import { allOf, newest } from '../span-events.ts'
import type { DetailsProps } from './details-props.ts'
import { Facts } from './facts.tsx'
import { Folded } from './folded.tsx'

/** A model call: what was asked, what was answered, and what it took. */
export function ModelDetails({ span, events, shown: { state } }: DetailsProps) {
  const started = newest(events, 'model.started')?.data
  const ended = newest(events, 'model.completed')?.data
  const failed = newest(events, 'model.failed')?.data
  const call = state.view.modelCalls.find(({ callId, agentId }) => callId === span.callId && agentId === span.agentId)
  const usage = ended?.usage ?? failed?.usage
  const params = started?.params
  const prompt = useMemo(() => promptOf(state.events, span.seq), [state, span])
  return (
    <>
      <Facts
        facts={[
          ['Model', `${ended?.provider ?? started?.provider ?? ''}/${ended?.model ?? started?.model ?? span.label}`],
          ['Ended with', ended?.finishReason],
          [
            'Tokens in',
            usage === undefined
              ? started && `about ${formatCount(started.estimatedInputTokens)}`
              : formatCount(usage.inputTokens),
          ],
          ['of them cached', usage?.cachedTokens === undefined ? undefined : formatCount(usage.cachedTokens)],
          ['Tokens out', usage && formatCount(usage.outputTokens)],
          ['of them reasoning', usage?.reasoningTokens === undefined ? undefined : formatCount(usage.reasoningTokens)],
          ['Counted by', usage?.estimated === true ? 'svc, the provider said nothing' : undefined],
          [
            'Cost',
            ended === undefined ? undefined : ended.costUsd === null ? 'no price is known' : formatCost(ended.costUsd),
          ],
          [
            'Latency',
            ended === undefined ? undefined : ended.cached ? 'answered from a record' : formatDuration(ended.latencyMs),
          ],
          ['First piece after', ended?.ttftMs === undefined ? undefined : formatDuration(ended.ttftMs)],
          ['Temperature', params?.temperature],
          ['Effort', params?.effort],
          [
            'Longest answer',
            params?.maxOutputTokens === undefined ? undefined : `${formatCount(params.maxOutputTokens)} tokens`,
          ],
          ['Seed', params?.seed],
          ['Not seen', ended?.unseen?.join(', ')],
        ]}
      />
      {failed !== undefined && (
        <p class="error-text">
          {failed.error.message} <span class="mono tiny">{failed.error.code}</span>
        </p>
      )}
      <Troubles events={events} />
      {prompt !== undefined && (
        <section class="stack tight">
          <h3>Prompt, {formatCount(prompt.length)} messages</h3>
          {prompt.map(({ role, text, toolCalls = [] }, index) => (
            <Folded key={index} title={role} text={text} isOpen={index === prompt.length - 1}>
              {toolCalls.map(({ callId, tool, args }) => (
                <JsonText key={callId} label={`Arguments of ${tool}`} value={{ [tool]: args }} />
              ))}
            </Folded>
          ))}
        </section>
      )}
      {params?.tools !== undefined && params.tools.length > 0 && (
        <section class="stack tight">
          <h3>Offered tools</h3>
          <p class="mono">{params.tools.join(', ')}</p>
        </section>
      )}
      {ended !== undefined && ended.toolCalls.length > 0 && (
        <section class="stack tight">
          <h3>Called tools</h3>
          {ended.toolCalls.map(({ callId, tool, args }) => (
            <div key={callId}>
              <p class="mono">{tool}</p>
              <JsonText value={args} label={`Arguments of ${tool}`} />
            </div>
          ))}
        </section>
      )}
      {call !== undefined && call.text !== '' && (
        <section class="stack tight">
          <h3>Answer</h3>
          <LongText text={call.text} label="Answer of the model" tone="prose" />
        </section>
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
    <section class="stack tight">
      <h3>On the way</h3>
      <ul class="small">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  )
}
