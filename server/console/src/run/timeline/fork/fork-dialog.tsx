import { type Signal, useSignal } from '@preact/signals'
import type { ForkInput } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Options } from '../../../parts/choice.tsx'
import { FormDialog } from '../../../parts/dialog.tsx'
import { Field } from '../../../parts/field.tsx'
import { formatClock, formatCount } from '../../../parts/format.ts'
import { ModelInput } from '../../../parts/model-input.tsx'
import { RequestKeys } from '../../../session/request-keys.ts'
import { runtime } from '../../../session/session.ts'
import { RunState } from '../../../state/run-state.ts'
import { toEdits } from './fork-edits.ts'

interface ForkProps {
  id: string
  live: RunState
  atSeq: number
  past: Signal<number | undefined>
  onClose: () => void
}

/** Begins another run that keeps what this one did up to an event, and says what may be changed in it. */
export function ForkDialog({ id, live, atSeq, past, onClose }: ForkProps) {
  const { route } = useLocation()
  const keys = useMemo(() => new RequestKeys(), [])
  const then = useMemo(() => new RunState(live.events.slice(0, atSeq)), [live, atSeq])
  const calls = then.view.toolCalls.filter(({ status }) => status === 'completed')
  const chosen = useSignal('')
  const call = calls.find(({ callId }) => callId === chosen.value)
  const { task = '', options = {} } = live.created?.data ?? {}
  const { model = '' } = options
  const context = typeof options.context === 'string' ? options.context : ''
  const start = async (form: FormData): Promise<void> => {
    const edits = toEdits({ task, model, context, call }, (name) => String(form.get(name) ?? ''))
    const input: ForkInput = { atSeq, ...(Object.keys(edits).length > 0 && { edits }) }
    const made = await runtime.value.runs.fork(id, input, { idempotencyKey: keys.keyOf(input) })
    past.value = undefined
    route(`/console/runs/${made.id}`)
  }
  return (
    <FormDialog
      class="fork"
      title={`Fork from event ${formatCount(atSeq)}`}
      doLabel="Start the fork"
      backLabel="Cancel"
      isOpen
      onDo={start}
      onClose={onClose}
    >
      {(problemOf) => (
        <>
          <p class="soft">
            A new run takes over what was recorded in events 1 to {formatCount(atSeq)} (
            {formatClock(live.events[atSeq - 1]?.time ?? 0)}): answers of models and results of tools up to there are
            used again, not asked for again. From there on it works anew. This run stays as it is.
          </p>
          <Field label="Task" problem={problemOf('/edits/task')}>
            {(props) => <textarea {...props} name="task" rows={3} required defaultValue={task} />}
          </Field>
          <Field label="Model" problem={problemOf('/edits/model')}>
            {(props) => <ModelInput {...props} name="model" defaultValue={model} />}
          </Field>
          <Field label="Context that comes with the task" problem={problemOf('/edits/prompt')}>
            {(props) => <textarea {...props} name="context" rows={2} defaultValue={context} />}
          </Field>
          {calls.length > 0 && (
            <Field label="Another result of a tool call" problem={problemOf('/edits/toolResults')}>
              {(props) => (
                <select
                  {...props}
                  value={chosen.value}
                  onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}
                >
                  <Options
                    of={[
                      ['', `as they were (${formatCount(calls.length)})`],
                      ...calls.map(
                        ({ callId, tool, agentId, seq }) => [callId, `${tool}, ${agentId}, event ${seq}`] as const,
                      ),
                    ]}
                  />
                </select>
              )}
            </Field>
          )}
          {call !== undefined && (
            <Field label={`Result of ${call.tool}`} hint={laterNote(call.seq, atSeq)}>
              {(props) => (
                <textarea
                  {...props}
                  key={call.callId}
                  class="mono"
                  name="result"
                  rows={6}
                  defaultValue={call.result ?? ''}
                />
              )}
            </Field>
          )}
        </>
      )}
    </FormDialog>
  )
}

/** Another result reaches only what is asked for after the fork. */
const laterNote = (seq = 0, atSeq: number): string | undefined =>
  seq < atSeq
    ? `Answers recorded in events ${seq + 1} to ${atSeq} are kept. To have them made anew, fork at event ${seq}.`
    : undefined
