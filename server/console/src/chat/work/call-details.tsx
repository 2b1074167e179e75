import { DiffText } from '../../parts/diff-text.tsx'
import type { ShownRun } from '../../run/shown-run.ts'
import { ModelDetails } from '../../run/timeline/details/model-details.tsx'
import { ToolDetails } from '../../run/timeline/details/tool-details.tsx'
import { eventsOfSpan } from '../../run/timeline/span-events.ts'
import { toChange } from './change.ts'
import '../../run/timeline/details/details.css'

interface CallDetailsProps {
  shown: ShownRun
  seqs: readonly number[]
}

/** All that is known of the calls of a line: arguments, results, what they changed. */
export default function CallDetails({ shown, seqs }: CallDetailsProps) {
  const { spans, view, events } = shown.state
  const found = seqs.flatMap((seq) => spans.all.filter((span) => span.seq === seq))
  if (found.length === 0) return <p class="soft small">Nothing more is recorded of it.</p>
  return (
    <div class="chat-calls">
      {found.map((span) => {
        const call = view.toolCalls.find(({ requestedSeq }) => requestedSeq === span.seq)
        const change = call === undefined ? undefined : toChange(call)
        const of = { span, shown, events: eventsOfSpan(span, events) }
        return (
          <div key={span.seq} class="stack tight">
            {change !== undefined && <DiffText text={change} label={`What ${span.label} changes`} />}
            {span.kind === 'model' ? <ModelDetails {...of} /> : <ToolDetails {...of} />}
          </div>
        )
      })}
    </div>
  )
}
