import { Changes } from '../../../parts/changes.tsx'
import { formatCount, formatDuration } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { answerOf } from '../../../state/outcome.ts'
import type { StageRound, StageView, TapView } from '../../../state/stages.ts'
import type { ShownRun } from '../../shown-run.ts'
import { Answer } from '../answer.tsx'

/** One stage in full: what it answered, and which plugins were asked in which order. */
export function StagePanel({
  shown: { id, state },
  view,
  question,
  now,
}: {
  shown: ShownRun
  view: StageView
  question: string
  now: number
}) {
  const answer = answerOf(state, view.stage)
  return (
    <div class="body stage-columns">
      <section>
        <h3>Answer to “{question}”</h3>
        {answer === undefined ? <p class="soft">{withoutAnswer(view)}</p> : <Answer id={id} answer={answer} />}
      </section>
      <section>
        <h3>Who was asked</h3>
        {view.rounds.length === 0 && <p class="soft">Nobody yet.</p>}
        {view.rounds.map((round, index) => (
          <Round
            key={round.seq}
            id={id}
            round={round}
            now={now}
            name={view.rounds.length > 1 ? `Round ${index + 1}` : undefined}
          />
        ))}
      </section>
    </div>
  )
}

function withoutAnswer({ stage, state, modelCalls, tokens }: StageView): string {
  if (state === 'skipped') return 'The run did without this stage.'
  if (state === 'idle') return 'The run has not come to this stage.'
  if (state === 'unanswered') return 'No plugin had anything to say: the run goes on without.'
  if (stage === 'execute')
    return `The agents' work stands below: ${formatCount(modelCalls)} model calls, ${formatCount(tokens)} tokens so far.`
  return state === 'running' ? 'It is being worked on.' : 'There is no answer.'
}

function Round({ id, round, now, name }: { id: string; round: StageRound; now: number; name: string | undefined }) {
  const { plugins, plugin, taps, error, seq, startedAt, endedAt, durationMs } = round
  return (
    <div class="taps">
      <p class="small">
        {name !== undefined && <strong>{name}: </strong>}
        {formatDuration(durationMs ?? Math.max(0, (endedAt ?? now) - startedAt))}, from{' '}
        <a href={`/console/runs/${id}/timeline?at=${seq}`}>event {seq}</a>
      </p>
      {error !== undefined && (
        <p class="error-text">
          {error.message} <span class="tiny mono">{error.code}</span>
        </p>
      )}
      {taps.length > 0 ? (
        <ol class="taps">
          {taps.map((tap) => (
            <Tap key={`${tap.plugin} ${tap.tap}`} tap={tap} />
          ))}
        </ol>
      ) : (
        <ol class="taps">
          {plugins.map((name) => (
            <li key={name} class="tap" data-answered={name === plugin}>
              <div class="row">
                <strong>{name}</strong>
                <span class="soft small">{name === plugin ? 'its answer stands' : 'asked'}</span>
              </div>
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}

function Tap({ tap: { plugin, tap, durationMs, answered, tokens, changes = [] } }: { tap: TapView }) {
  return (
    <li class="tap" data-answered={answered}>
      <div class="row">
        <strong>{plugin}</strong>
        {tap !== plugin && <span class="soft small">{tap}</span>}
        {answered ? <Status of="completed" label="answered" /> : <Status of="idle" label="deferred" />}
        <span class="spread small number">
          {formatDuration(durationMs)}
          {tokens !== undefined && tokens > 0 && `, ${formatCount(tokens)} tokens`}
        </span>
      </div>
      {changes.length > 0 && (
        <details>
          <summary class="small">
            {changes.length === 1 ? 'It changed 1 field' : `It changed ${changes.length} fields`}
          </summary>
          <div class="scroll">
            <Changes changes={changes} />
          </div>
        </details>
      )}
    </li>
  )
}
