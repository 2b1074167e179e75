import { useSignal } from '@preact/signals'
import type { MemoryHit, MemoryRecord } from '@svc/sdk/remote'
import { useEffect } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { usePages } from '../parts/use-pages.ts'
import { useViewTitle } from '../parts/view-title.ts'
import { useLoad } from '../session/use-load.ts'
import { MemoryList } from './memory-list.tsx'
import { RememberForm } from './remember-form.tsx'
import './memory.css'

const LAYERS = [
  { layer: '', name: 'All layers', what: 'everything that is remembered, the newest first' },
  { layer: 'working', name: 'Working', what: 'notes of a run, gone with it' },
  { layer: 'episodic', name: 'Episodic', what: 'what happened in earlier runs' },
  { layer: 'long-term', name: 'Long-term', what: 'facts and lessons that are kept' },
] as const
type Layer = MemoryRecord['layer']

const PAUSE_MS = 300
const MOST_HITS = 100

/** What runs remember: by layer, or what fits a question; to be added to and deleted from. */
export default function Memory() {
  useViewTitle('Memory')
  const layer = useSignal<Layer | ''>('')
  const typed = useSignal('')
  const query = useSignal('')
  const isAdding = useSignal(false)
  useEffect(() => {
    const timer = setTimeout(() => {
      query.value = typed.value.trim()
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  const layers = layer.value === '' ? {} : { layer: layer.value }
  const listed = usePages<MemoryRecord>(
    (from, after) => from.memory.list({ limit: 100, ...after, ...layers }),
    [layer.value],
  )
  const isSearch = query.value !== ''
  const found = useLoad(
    async (from) =>
      query.value === ''
        ? undefined
        : from.memory.query({
            query: query.value,
            limit: MOST_HITS,
            ...(layer.value !== '' && { layers: [layer.value] }),
          }),
    [query.value, layer.value],
  )
  const reload = (): void => {
    listed.reload()
    found.reload()
  }
  const shown: readonly (MemoryRecord | MemoryHit)[] = isSearch ? (found.value?.data ?? []) : listed.items
  const isLoading = isSearch ? found.isLoading : listed.isLoading
  const error = isSearch ? found.error : listed.error
  const here = LAYERS.find((one) => one.layer === layer.value)
  return (
    <div class="stack">
      <div class="row">
        <h1>Memory</h1>
        <button
          type="button"
          class="spread"
          aria-expanded={isAdding.value}
          onClick={() => {
            isAdding.value = !isAdding.value
          }}
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
          <button
            key={one}
            type="button"
            aria-pressed={layer.value === one}
            onClick={() => {
              layer.value = one
            }}
          >
            {name}
          </button>
        ))}
        <label class="search">
          <span class="hidden-label">Search the memory</span>
          <input
            type="search"
            placeholder="What is remembered about…"
            value={typed.value}
            onInput={(event) => {
              typed.value = event.currentTarget.value
            }}
          />
        </label>
      </div>
      <p class="soft small" role="status">
        {isSearch && found.value !== undefined
          ? `${shown.length} records found.${found.value.low ? ' Too little of the question was matched to trust them.' : ''}`
          : here?.what}
      </p>
      <ErrorNote error={error} onRetry={reload} />
      {shown.length > 0 ? (
        <MemoryList records={shown} onEnd={isSearch ? undefined : listed.more} onDeleted={reload} />
      ) : (
        error === undefined && (
          <p class="empty">
            {isLoading
              ? 'Asking the server…'
              : isSearch
                ? 'Nothing that is remembered fits.'
                : 'Nothing is remembered here yet. Runs write what they learn; you can add something yourself.'}
          </p>
        )
      )}
    </div>
  )
}
