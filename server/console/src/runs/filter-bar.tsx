import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Choice, Options } from '../parts/choice.tsx'
import { Field } from '../parts/field.tsx'
import {
  countFilters,
  type Filters,
  findContradictions,
  MODES,
  readFilters,
  toAddress,
  VERDICTS,
  withFilters,
} from './filters.ts'
import type { RunRow } from './run-list.ts'

/** What is typed counts when nothing was typed for so long. */
const PAUSE_MS = 300

const SINCE_CHOICES = [
  ['', 'at any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
] as const
const FOLDER_CHOICES = [
  ['', 'this one'],
  ['all', 'all'],
] as const
const MODE_CHOICES = [['', 'any'], ...MODES] as const
const VERDICT_CHOICES = [['', 'any'], ...VERDICTS] as const

const BOUNDS = [
  { name: 'Cost', label: 'Cost, $', step: 'any' },
  { name: 'Tokens', label: 'Tokens', step: '1' },
  { name: 'Seconds', label: 'Duration, s', step: 'any' },
] as const
const EDGES = [
  { edge: 'min', word: 'at least', placeholder: 'from' },
  { edge: 'max', word: 'at most', placeholder: 'to' },
] as const

interface FilterBarProps {
  filters: Filters
  /** The runs that are listed: their models and folders are offered. */
  rows: readonly RunRow[]
  /** What else stands beside the search. */
  children: ComponentChildren
}

/** Narrows the list. What is entered stands in the address after a short pause, or with Enter. */
export function FilterBar({ filters, rows, children }: FilterBarProps) {
  const { route } = useLocation()
  const form = useRef<HTMLFormElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const address = toAddress(filters)
  const sent = useRef({ field: '', address })
  const newest = useRef({ filters, address })
  newest.current = { filters, address }
  const panel = useId()
  const inForce = countFilters(withFilters(filters, { q: undefined }))
  const isOpen = useSignal(inForce > 0)
  const wrong = findContradictions(filters)
  const models = useMemo(() => [...new Set(rows.flatMap((row) => row.models))].sort(), [rows])
  const folders = useMemo(() => [...new Set(rows.flatMap(({ space }) => space ?? []))].sort(), [rows])

  /** @param field the one that was changed: typed in on and on, it makes one step of the history */
  const send = (field = ''): void => {
    clearTimeout(timer.current)
    if (form.current === null) return
    const entered = Object.fromEntries(new FormData(form.current)) as Record<string, string>
    const { filters: before, address: left } = newest.current
    const wanted = toAddress(withFilters(readFilters(entered), { status: before.status }))
    if (wanted === left) return
    const isGoingOn = field !== '' && field === sent.current.field && left === sent.current.address
    sent.current = { field, address: wanted }
    route(wanted, isGoingOn)
  }
  useLayoutEffect(() => {
    // Where the address has changed by other means than this form.
    if (address !== sent.current.address)
      for (const input of form.current?.querySelectorAll('input') ?? [])
        input.value = String(filters[input.name as keyof Filters] ?? '')
    sent.current.address = address
  }, [address])

  return (
    <search>
      <form
        ref={form}
        class="stack tight filters"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          send()
        }}
        onInput={({ target }) => {
          clearTimeout(timer.current)
          if (target instanceof HTMLInputElement) timer.current = setTimeout(send, PAUSE_MS, target.name)
          else send()
        }}
      >
        <div class="row first">
          <label>
            <span class="hidden-label">Text of the task or the answer</span>
            <input type="search" name="q" placeholder="Search tasks and answers" defaultValue={filters.q ?? ''} />
          </label>
          <button
            type="button"
            aria-expanded={isOpen.value}
            aria-controls={panel}
            onClick={() => (isOpen.value = !isOpen.value)}
          >
            Filters{inForce > 0 && <span class="number"> ({inForce})</span>}
          </button>
          {children}
          {address !== '/console/runs' && (
            <a class="small" href="/console/runs">
              Clear all
            </a>
          )}
        </div>
        <div id={panel} class="more" hidden={!isOpen.value}>
          <Choice label="Verdict" name="verdict" options={VERDICT_CHOICES} value={filters.verdict ?? ''} />
          <Choice label="Mode" name="mode" options={MODE_CHOICES} value={filters.mode ?? ''} />
          <Choice label="Asked for" name="since" options={SINCE_CHOICES} value={filters.since ?? ''} />
          <Choice label="Folders" name="folders" options={FOLDER_CHOICES} value={filters.folders ?? ''} />
          {filters.folders === 'all' && (
            <label>
              Folder
              <input name="folder" list={`${panel}-folders`} defaultValue={filters.folder ?? ''} autocomplete="off" />
              <datalist id={`${panel}-folders`}>
                <Options of={folders} />
              </datalist>
            </label>
          )}
          <label>
            Model
            <input
              name="model"
              list={`${panel}-models`}
              placeholder="provider/model"
              defaultValue={filters.model ?? ''}
              autocomplete="off"
            />
            <datalist id={`${panel}-models`}>
              <Options of={models} />
            </datalist>
          </label>
          <label>
            Agent (id)
            <input name="agent" defaultValue={filters.agent ?? ''} />
          </label>
          <label>
            Tag
            <input name="tag" defaultValue={filters.tag ?? ''} />
          </label>
          {BOUNDS.map(({ name, label, step }) => (
            <fieldset key={name} class="bounds">
              <legend>{label}</legend>
              {EDGES.map(({ edge, word, placeholder }) => (
                <Field
                  key={edge}
                  label={<span class="hidden-label">{`${label}: ${word}`}</span>}
                  problem={wrong[`${edge}${name}`]}
                >
                  {(props) => (
                    <input
                      {...props}
                      type="number"
                      name={`${edge}${name}`}
                      min={0}
                      step={step}
                      placeholder={placeholder}
                      defaultValue={filters[`${edge}${name}`] ?? ''}
                    />
                  )}
                </Field>
              ))}
            </fieldset>
          ))}
        </div>
      </form>
    </search>
  )
}
