import { useSignal } from '@preact/signals'
import type { MemoryRecord } from '@svc/sdk/remote'
import { ErrorNote } from '../parts/error-note.tsx'
import { plural } from '../parts/format.ts'
import { usePages } from '../parts/use-pages.ts'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { useRested } from '../session/use-rested.ts'
import { MemoryList } from './memory-list.tsx'
import { RememberForm } from './remember-form.tsx'
import './memory.css'

const LAYERS = [
  { layer: '', name: 'All layers', what: 'everything that is remembered, the newest first' },
  { layer: 'working', name: 'Working', what: 'notes of a run, gone with it' },
  { layer: 'episodic', name: 'Episodic', what: 'what happened in earlier runs' },
  { layer: 'long-term', name: 'Long-term', what: 'facts and lessons that are kept' },
] as const

const PAUSE_MS = 300
const MOST_HITS = 100

/** What runs remember: by layer, or what fits a question; to be added to and deleted from. */
export default function Memory() {
  useViewTitle('Memory')
  const chosen = useSignal<MemoryRecord['layer'] | ''>('')
  const typed = useSignal('')
  const isAdding = useSignal(false)
  const query = useRested(typed.value.trim(), PAUSE_MS)
  const { value: layer } = chosen
  const listed = usePages<MemoryRecord>(
    (from, after) => from.memory.list({ limit: 100, ...after, ...(layer !== '' && { layer }) }),
    [layer],
  )
  const found = useLoad(
    async ({ memory }) =>
      query === '' ? undefined : memory.query({ query, limit: MOST_HITS, ...(layer !== '' && { layers: [layer] }) }),
    [query, layer],
  )
  const reload = (): void => {
    listed.reload()
    found.reload()
  }
  const isSearch = query !== ''
  const records = isSearch ? (found.value?.data ?? []) : listed.items
  const { isLoading, error } = isSearch ? found : listed
  const nothing = isSearch
    ? 'Nothing that is remembered fits.'
    : 'Nothing is remembered here yet. Runs write what they learn; you can add something yourself.'
  return (
    <div class="stack">
      <div class="row">
        <h1>Memory</h1>
        <button
          type="button"
          class="spread"
          aria-expanded={isAdding.value}
          onClick={() => (isAdding.value = !isAdding.value)}
        >
          Remember something…
        </button>
      </div>
      {isAdding.value && (
        <RememberForm
          onDone={() => {
            isAdding.value = false
            reload()
          }}
        />
      )}
      <div class="row layers" role="group" aria-label="Layer">
        {LAYERS.map(({ layer: one, name }) => (
          <button key={one} type="button" aria-pressed={layer === one} onClick={() => (chosen.value = one)}>
            {name}
          </button>
        ))}
        <label class="search">
          <span class="hidden-label">Search the memory</span>
          <input
            type="search"
            placeholder="What is remembered about…"
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
      </div>
      <p class="soft small" role="status">
        {isSearch && found.value !== undefined
          ? `${plural(records.length, 'record')} found.${found.value.low ? ' Too little of the question was matched to trust them.' : ''}`
          : LAYERS.find((one) => one.layer === layer)?.what}
      </p>
      <ErrorNote error={error} onRetry={reload} />
      {records.length > 0 && (
        <MemoryList records={records} onEnd={isSearch ? undefined : listed.more} onChanged={reload} />
      )}
      {records.length === 0 && error === undefined && <p class="empty">{isLoading ? 'Asking the server…' : nothing}</p>}
    </div>
  )
}
