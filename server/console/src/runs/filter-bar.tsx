import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Choice } from '../parts/choice.tsx'
import {
  countFilters,
  type Filters,
  findContradictions,
  MODES,
  readFilters,
  toAddress,
  withFilters,
} from './filters.ts'

/** What is typed counts when nothing was typed for so long. */
const PAUSE_MS = 300

const SINCE_CHOICES = [
  ['', 'at any time'],
  ['1h', 'last hour'],
  ['24h', 'last 24 hours'],
  ['7d', 'last 7 days'],
] as const
const MODE_CHOICES = [['', 'any'], ...MODES] as const

const BOUNDS = [
  { name: 'Cost', label: 'Cost, $', step: 'any' },
  { name: 'Tokens', label: 'Tokens', step: '1' },
  { name: 'Seconds', label: 'Duration, s', step: 'any' },
] as const

/** Narrows the list. What is chosen stands in the address. */
export function FilterBar({ filters }: { filters: Filters }) {
  const { route } = useLocation()
  const isOpen = useSignal(countFilters(withFilters(filters, { q: undefined })) > 0)
  const typed = useRef({ field: '', address: '' })
  const panel = useId()
  const current = useRef(filters)
  current.current = filters
  /** A field that is typed in makes one step of the history, however often one pauses. */
  const change = (changes: Parameters<typeof withFilters>[1], field = ''): void => {
    const { field: before, address: left } = typed.current
    const isGoingOn = field !== '' && field === before && left === toAddress(current.current)
    const address = toAddress(withFilters(current.current, changes))
    typed.current = { field, address }
    route(address, isGoingOn)
  }
  const wrong = findContradictions(filters)
  const inForce = countFilters(withFilters(filters, { q: undefined }))
  const textOf = (name: 'q' | 'agent' | 'tag') => ({
    value: filters[name] ?? '',
    onValue: (value: string) => change({ [name]: value.trim() || undefined }, name),
  })
  return (
    <search class="filters" data-open={isOpen.value}>
      <div class="first">
        <Typed label="Text of the task" isLabelHidden type="search" placeholder="Search tasks" {...textOf('q')} />
        <button
          type="button"
          aria-expanded={isOpen.value}
          aria-controls={panel}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          Filters{inForce > 0 && <span class="number"> ({inForce})</span>}
        </button>
        {inForce + (filters.q === undefined ? 0 : 1) + (filters.status === undefined ? 0 : 1) > 0 && (
          <a class="small" href="/console/">
            Clear all
          </a>
        )}
      </div>
      <div id={panel} class="more" hidden={!isOpen.value}>
        <Choice
          label="Mode"
          options={MODE_CHOICES}
          value={filters.mode ?? ''}
          onValue={(mode) => change({ mode: readFilters({ mode }).mode })}
        />
        <Choice
          label="Asked for"
          options={SINCE_CHOICES}
          value={filters.since ?? ''}
          onValue={(since) => change({ since: readFilters({ since }).since })}
        />
        <Typed label="Agent (id)" {...textOf('agent')} />
        <Typed label="Tag" {...textOf('tag')} />
        {BOUNDS.map(({ name, label, step }) => (
          <fieldset key={name} class="bounds">
            <legend>{label}</legend>
            {(['min', 'max'] as const).map((edge) => {
              const field = `${edge}${name}` as const
              return (
                <Typed
                  key={edge}
                  label={`${label}: ${edge === 'min' ? 'at least' : 'at most'}`}
                  isLabelHidden
                  placeholder={edge === 'min' ? 'from' : 'to'}
                  type="number"
                  step={step}
                  error={wrong[field]}
                  value={filters[field] === undefined ? '' : String(filters[field])}
                  onValue={(value) => change({ [field]: readFilters({ [field]: value })[field] }, field)}
                />
              )
            })}
          </fieldset>
        ))}
      </div>
    </search>
  )
}

interface TypedProps {
  label: string
  isLabelHidden?: boolean
  type?: 'search' | 'text' | 'number'
  placeholder?: string
  step?: string
  error?: string | undefined
  value: string
  onValue: (value: string) => void
}

/** A field that passes on what is typed after a short pause, or with Enter. */
function Typed({ label, isLabelHidden = false, type = 'text', placeholder, step, error, value, onValue }: TypedProps) {
  const draft = useSignal(value)
  const sent = useRef(value)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const newest = useRef(onValue)
  newest.current = onValue
  const note = useId()
  const send = (): void => {
    clearTimeout(timer.current)
    if (sent.current === draft.value) return
    sent.current = draft.value
    newest.current(draft.value)
  }
  useEffect(() => {
    // The address has changed by other means than this field.
    const isSent = type === 'number' ? Number(value) === Number(sent.current) : value === sent.current.trim()
    if (isSent) return
    clearTimeout(timer.current)
    sent.current = value
    draft.value = value
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  return (
    <label>
      <span class={isLabelHidden ? 'hidden-label' : ''}>{label}</span>
      <input
        type={type as 'text'}
        value={draft.value}
        placeholder={placeholder}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : note}
        {...(type === 'number' && { min: 0, step, inputMode: 'decimal' as const })}
        onInput={(event) => {
          draft.value = event.currentTarget.value
          clearTimeout(timer.current)
          timer.current = setTimeout(send, PAUSE_MS)
        }}
        onKeyDown={(event) => event.key === 'Enter' && send()}
      />
      {error !== undefined && (
        <span id={note} class="error-text tiny">
          {error}
        </span>
      )}
    </label>
  )
}
