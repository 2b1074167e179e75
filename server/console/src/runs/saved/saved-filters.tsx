import { signal, useSignal } from '@preact/signals'
import { type Filters, readFilters, toAddress } from '../filters.ts'

const KEY = 'svc.filters'
const MOST = 30
const MOST_LETTERS = 40

/** Filters under a name. */
export interface SavedFilter {
  name: string
  /** As it stands behind the address of the list. */
  search: string
}

/** Reads what a browser has kept; what is not as it was written is left out. */
export function readSaved(text: string | null): readonly SavedFilter[] {
  try {
    const found: unknown = JSON.parse(text ?? '[]')
    if (!Array.isArray(found)) return []
    return found.filter(
      (one): one is SavedFilter => typeof one?.name === 'string' && one.name !== '' && typeof one.search === 'string',
    )
  } catch {
    return []
  }
}

const saved = signal(readSaved(localStorage.getItem(KEY)))

function keep(filters: readonly SavedFilter[]): void {
  saved.value = filters
  localStorage.setItem(KEY, JSON.stringify(filters))
}

/** Filters that have a name in this browser, as links, and a name for those in force. */
export function SavedFilters({ filters }: { filters: Filters }) {
  const isNaming = useSignal(false)
  const address = toAddress(filters)
  const search = address.replace('/console/runs', '')
  const isKnown = saved.value.some((one) => toAddressOf(one) === address)
  if (saved.value.length === 0 && search === '') return null
  const name = (given: string): void => {
    keep([...saved.value.filter((one) => one.name !== given), { name: given, search }].slice(-MOST))
    isNaming.value = false
  }
  return (
    <div class="row saved" role="group" aria-label="Saved filters">
      {saved.value.map((one) => (
        <span key={one.name} class="pill saved-filter">
          <a href={toAddressOf(one)} aria-current={toAddressOf(one) === address ? 'true' : undefined}>
            {one.name}
          </a>
          <button
            type="button"
            class="plain"
            aria-label={`Forget the filter ${one.name}`}
            onClick={() => keep(saved.value.filter((other) => other !== one))}
          >
            ✕
          </button>
        </span>
      ))}
      {search !== '' && !isKnown && !isNaming.value && (
        <button type="button" class="plain small" onClick={() => (isNaming.value = true)}>
          Save these filters
        </button>
      )}
      {isNaming.value && (
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault()
            const given = String(new FormData(event.currentTarget).get('name') ?? '').trim()
            if (given !== '') name(given)
          }}
          onKeyDown={({ key }) => {
            if (key === 'Escape') isNaming.value = false
          }}
        >
          <label>
            <span class="hidden-label">Name of these filters</span>
            <input
              ref={(input) => input?.focus()}
              name="name"
              maxLength={MOST_LETTERS}
              placeholder="Name, such as Failed this week"
              autocomplete="off"
            />
          </label>
          <button type="submit">Save</button>
          <button type="button" class="plain" onClick={() => (isNaming.value = false)}>
            Back
          </button>
        </form>
      )}
    </div>
  )
}

/** The address of a filter, as this console writes it. */
const toAddressOf = ({ search }: SavedFilter): string =>
  toAddress(readFilters(Object.fromEntries(new URLSearchParams(search))))
