import { Changes } from '../../../parts/changes.tsx'
import { ErrorText } from '../../../parts/error-note.tsx'
import { formatCount, formatDuration, plural } from '../../../parts/format.ts'
import { EventLink } from '../../../parts/run-link.tsx'
import { Status } from '../../../parts/status.tsx'
import { answerOf } from '../../../state/outcome.ts'
import type { StageRound, StageView, TapView } from '../../../state/stages.ts'
import { partOf, type ShownRun } from '../../shown-run.ts'
import { Answer } from './answer.tsx'

interface StagePanelProps {
  shown: ShownRun
  view: StageView
  question: string
  now: number
}

/** One stage in full: what it answered, and which plugins were asked in which order. */
export function StagePanel({ shown, view, question, now }: StagePanelProps) {
  const { id, state } = shown
  const answer = answerOf(state, view.stage)
  const { rounds } = view
  return (
    <div class="body stage-columns">
      <section>
        <h3>Answer to “{question}”</h3>
        {answer === undefined ? (
          <p class="soft">{withoutAnswer(view, partOf(shown, view.state))}</p>
        ) : (
          <Answer id={id} answer={answer} />
        )}
      </section>
      <section>
        <h3>Who was asked</h3>
        {rounds.length === 0 && <p class="soft">Nobody yet.</p>}
        {rounds.map((round, index) => (
          <Round
            key={round.seq}
            id={id}
            round={round}
            now={now}
            name={rounds.length > 1 ? `Round ${index + 1}: ` : ''}
          />
        ))}
      </section>
    </div>
  )
}

function withoutAnswer({ stage, modelCalls, tokens }: StageView, state: string): string {
  if (state === 'skipped') return 'The run did without this stage.'
  if (state === 'idle') return 'The run has not come to this stage.'
  if (state === 'unanswered') return 'No plugin had anything to say: the run goes on without.'
  if (stage === 'execute')
    return `The agents' work stands below: ${formatCount(modelCalls)} model calls, ${formatCount(tokens)} tokens so far.`
  if (state === 'waiting') return 'It waits for a person.'
  return state === 'running' ? 'It is being worked on.' : 'There is no answer.'
}

function Round({ id, round, now, name }: { id: string; round: StageRound; now: number; name: string }) {
  const { plugins, plugin, taps, error, seq, startedAt, endedAt, durationMs } = round
  return (
    <div class="stack tight">
      <p class="small">
        <strong>{name}</strong>
        {formatDuration(durationMs ?? Math.max(0, (endedAt ?? now) - startedAt))}, from <EventLink id={id} seq={seq} />
      </p>
      <ErrorText error={error} />
      <ol class="stack tight">
        {taps.length > 0
          ? taps.map((tap) => <Tap key={`${tap.plugin} ${tap.tap}`} tap={tap} />)
          : plugins.map((asked) => (
              <li key={asked} class="tap row" data-answered={asked === plugin}>
                <strong>{asked}</strong>
                <span class="soft small">{asked === plugin ? 'its answer stands' : 'asked'}</span>
              </li>
            ))}
      </ol>
    </div>
  )
}

function Tap({ tap: { plugin, tap, durationMs, answered, tokens = 0, changes = [] } }: { tap: TapView }) {
  return (
    <li class="tap" data-answered={answered}>
      <div class="row">
        <strong>{plugin}</strong>
        {tap !== plugin && <span class="soft small">{tap}</span>}
        {answered ? <Status of="completed" label="answered" /> : <Status of="idle" label="deferred" />}
        <span class="spread small number">
          {formatDuration(durationMs)}
          {tokens > 0 && `, ${formatCount(tokens)} tokens`}
        </span>
      </div>
      {changes.length > 0 && (
        <details>
          <summary class="small">It changed {plural(changes.length, 'field')}</summary>
          <Changes label={`What ${plugin} changed`} changes={changes} />
        </details>
      )}
    </li>
  )
}
