import { type Signal, useSignal } from '@preact/signals'
import type { ForkInput, SvcError } from '@svc/sdk/remote'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { ErrorNote } from '../../../parts/error-note.tsx'
import { formatClock, formatCount } from '../../../parts/format.ts'
import { runtime } from '../../../session/session.ts'
import { toError, useLoad } from '../../../session/use-load.ts'
import { RunState } from '../../../state/run-state.ts'
import { toEdits } from './fork-edits.ts'
import { Field } from './fork-field.tsx'

export interface ForkProps {
  id: string
  live: RunState
  atSeq: number
  past: Signal<number | undefined>
  onClose: () => void
}

/** Begins another run that keeps what this one did up to an event, and says what may be changed in it. */
export function ForkDialog({ id, live, atSeq, past, onClose }: ForkProps) {
  const { route } = useLocation()
  const dialog = useRef<HTMLDialogElement>(null)
  const key = useMemo(() => crypto.randomUUID(), [])
  const then = useMemo(() => new RunState(live.events.slice(0, atSeq)), [live, atSeq])
  const calls = then.view.toolCalls.filter(({ status }) => status === 'completed')
  const { value: info } = useLoad((from) => from.describe(), [])
  const error = useSignal<SvcError | undefined>(undefined)
  const isSent = useSignal(false)
  const chosen = useSignal('')
  const call = calls.find(({ callId }) => callId === chosen.value)
  const { task = '', options = {} } = live.created?.data ?? {}
  const context = typeof options.context === 'string' ? options.context : ''
  useEffect(() => dialog.current?.showModal(), [])

  const start = async (form: FormData): Promise<void> => {
    const edits = toEdits({ task, model: options.model ?? '', context, call }, (name) => String(form.get(name) ?? ''))
    const input: ForkInput = { atSeq, ...(Object.keys(edits).length > 0 && { edits }) }
    isSent.value = true
    try {
      // The same again is the same run; another wish is another one.
      const made = await runtime.value.runs.fork(id, input, { idempotencyKey: `${key}-${hash(JSON.stringify(input))}` })
      onClose()
      past.value = undefined
      route(`/console/runs/${made.id}`)
    } catch (thrown) {
      error.value = toError(thrown)
      isSent.value = false
    }
  }
  const fields = error.value?.errors ?? []
  const faultOf = (path: string): string | undefined => fields.find((field) => field.path.startsWith(path))?.message
  const isBeside = ['/edits/task', '/edits/model', '/edits/prompt', '/edits/toolResults'].some(faultOf)
  const models = info?.providers.flatMap(({ id: provider, models }) => models.map((model) => `${provider}/${model.id}`))
  const time = formatClock(live.events[atSeq - 1]?.time ?? 0)
  return (
    <dialog ref={dialog} class="fork" aria-labelledby="fork-title" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isSent.value) void start(new FormData(event.currentTarget))
        }}
      >
        <h2 id="fork-title">Fork from event {formatCount(atSeq)}</h2>
        <p class="soft">
          A new run takes over what was recorded in events 1 to {formatCount(atSeq)} ({time}): answers of models and
          results of tools up to there are used again, not asked for again. From there on it works anew. This run stays
          as it is.
        </p>
        <Field label="Task" fault={faultOf('/edits/task')}>
          <textarea name="task" rows={3} required defaultValue={task} />
        </Field>
        <Field label="Model" fault={faultOf('/edits/model')} note={`Empty: ${info?.defaultModel ?? 'the default'}`}>
          <input name="model" list="fork-models" defaultValue={options.model ?? ''} autocomplete="off" />
        </Field>
        <datalist id="fork-models">
          {models?.map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
        <Field label="Context that comes with the task" fault={faultOf('/edits/prompt')}>
          <textarea name="context" rows={2} defaultValue={context} />
        </Field>
        {calls.length > 0 && (
          <Field label="Another result of a tool call" fault={faultOf('/edits/toolResults')}>
            <select value={chosen.value} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
              <option value="">as they were ({formatCount(calls.length)})</option>
              {calls.map(({ callId, tool, agentId, seq }) => (
                <option key={seq} value={callId}>
                  {tool}, {agentId}, event {seq}
                </option>
              ))}
            </select>
          </Field>
        )}
        {call !== undefined && (
          <Field label={`Result of ${call.tool}`} note={laterNote(call.seq, atSeq)}>
            <textarea key={call.callId} class="mono" name="result" rows={6} defaultValue={call.result ?? ''} />
          </Field>
        )}
        {!isBeside && <ErrorNote error={error.value} />}
        <div class="row">
          <button type="submit" class="primary" disabled={isSent.value}>
            Start the fork
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** Another result reaches only what is asked for after the fork. */
const laterNote = (seq = 0, atSeq: number): string | undefined =>
  seq < atSeq
    ? `Answers recorded in events ${seq + 1} to ${atSeq} are kept. To have them made anew, fork at event ${seq}.`
    : undefined

/** Tells wishes apart; nothing hangs on its strength. */
function hash(text: string): string {
  let value = 0
  for (let index = 0; index < text.length; index++) value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0
  return (value >>> 0).toString(36)
}
