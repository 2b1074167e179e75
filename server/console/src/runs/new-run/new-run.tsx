import { useSignal } from '@preact/signals'
import type { RuntimeInfo } from '@svc/sdk/remote'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Field } from '../../parts/field.tsx'
import { RunLink } from '../../parts/run-link.tsx'
import { runtime } from '../../session/session.ts'
import { toError, useLoad } from '../../session/use-load.ts'
import { EMPTY_DRAFT, findProblems, toProblems, toRunCreate } from './draft.ts'
import { EXAMPLES } from './examples.ts'
import { draft, enter, hasOptions, isBoxOpen, problems, runKeys } from './new-run-state.ts'
import { Options } from './options.tsx'
import './new-run.css'

const OPTIONS: ReadonlySet<string> = new Set(Object.keys(EMPTY_DRAFT).filter((field) => field !== 'task'))

/** The box in which a run is asked for. Nothing that was entered is lost before the run is there. */
export function NewRun({ isFirst, onClose }: { isFirst: boolean; onClose: (() => void) | undefined }) {
  const { route } = useLocation()
  const form = useRef<HTMLFormElement>(null)
  const isBusy = useSignal(false)
  const { value: info } = useLoad((from) => from.describe(), [])
  // At once: who goes on typing after the key that opens it loses no letter.
  useLayoutEffect(() => form.current?.querySelector('textarea')?.focus({ preventScroll: true }), [])
  const say = (found: typeof problems.value): void => {
    problems.value = found
    const first = Object.keys(EMPTY_DRAFT).find((field) => found[field as keyof typeof found] !== undefined)
    if (first !== undefined && OPTIONS.has(first)) hasOptions.value = true
    // The first field that something is wrong with, once it can be seen.
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
  }
  const begin = async (): Promise<void> => {
    if (isBusy.value) return
    const found = findProblems(draft.value)
    if (Object.keys(found).length > 0) return say(found)
    isBusy.value = true
    try {
      const create = toRunCreate(draft.value)
      const run = await runtime.value.runs.create(create, { idempotencyKey: runKeys.keyOf(create) })
      runKeys.renew()
      // What was set for one run is not for the next.
      draft.value = draft.value.earlierRunId === '' ? { ...draft.value, task: '', files: [] } : EMPTY_DRAFT
      problems.value = {}
      isBoxOpen.value = false
      route(`/console/runs/${run.id}`)
    } catch (thrown) {
      say(toProblems(toError(thrown), draft.value))
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form
      ref={form}
      class="card stack new-run"
      aria-label="New run"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void begin()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault()
          void begin()
        } else if (event.key === 'Escape' && onClose !== undefined) onClose()
      }}
    >
      {draft.value.earlierRunId !== '' && (
        <div class="row">
          <p>
            Again as <RunLink id={draft.value.earlierRunId} />: everything is filled in, and may be changed.
          </p>
          <button type="button" class="plain small" onClick={() => enter(EMPTY_DRAFT)}>
            Empty the form
          </button>
        </div>
      )}
      {isFirst && <p>No run yet. Say what is to be done: svc decides how, and shows every step.</p>}
      <Field label="What is to be done?" problem={problems.value.task}>
        {(props) => (
          <textarea
            {...props}
            rows={3}
            value={draft.value.task}
            aria-required="true"
            placeholder="One task, in your own words"
            onInput={(event) => enter({ task: event.currentTarget.value })}
          />
        )}
      </Field>
      {isFirst && (
        <div class="row examples">
          <span class="small soft">For example:</span>
          {EXAMPLES.map((task) => (
            <button
              key={task}
              type="button"
              class="small"
              onClick={() => {
                enter({ task })
                form.current?.querySelector('textarea')?.focus()
              }}
            >
              {task}
            </button>
          ))}
        </div>
      )}
      {hasOptions.value && <Options />}
      {problems.value.other !== undefined && (
        <p class="error-text" role="alert">
          {problems.value.other}
        </p>
      )}
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy.value}>
          {isBusy.value ? 'Starting…' : 'Start run'}
        </button>
        <button type="button" aria-expanded={hasOptions.value} onClick={() => (hasOptions.value = !hasOptions.value)}>
          Options
        </button>
        <span class="small soft keys">
          <kbd>Ctrl</kbd> + <kbd>Enter</kbd> starts
        </span>
        {onClose !== undefined && (
          <button type="button" class="plain spread" onClick={onClose}>
            Close
          </button>
        )}
      </div>
      <ProviderLine info={info} />
    </form>
  )
}

/** Which model answers, in one line; that there is none is said as it is. */
function ProviderLine({ info }: { info: RuntimeInfo | undefined }) {
  if (info === undefined) return null
  const { defaultModel } = info
  if (defaultModel.startsWith('none'))
    return (
      <p class="small error-text">No model can be asked ({defaultModel}): set one up and start the server again.</p>
    )
  if (defaultModel.startsWith('offline/'))
    return (
      <p class="small soft">
        Answered by <b>{defaultModel}</b>: built in, free, and no language model. It reads files of the workspace,
        calculates, and quotes what it found. For more, set a provider's key (such as ANTHROPIC_API_KEY) where the
        server is started.
      </p>
    )
  return (
    <p class="small soft">
      Answered by <b>{defaultModel}</b>, unless another model is chosen in the options.
    </p>
  )
}
