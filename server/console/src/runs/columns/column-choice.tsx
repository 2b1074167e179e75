import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { useDismiss } from '../../parts/use-dismiss.ts'
import { type Filters, toAddress } from '../filters.ts'
import { COLUMNS, chooseColumns, chosenColumns, wantedColumns, writeColumns } from './columns.ts'

/** Which columns the list has; they stay in this browser, and a link has them for others. */
export function ColumnChoice({ filters }: { filters: Filters }) {
  const isOpen = useSignal(false)
  const panel = useId()
  const box = useDismiss(isOpen)
  const wanted = wantedColumns(chosenColumns.value, filters.folders === 'all')
  const address = toAddress(filters)
  const link = `${address}${address.includes('?') ? '&' : '?'}columns=${writeColumns(wanted)}`
  return (
    <div ref={box} class="columns" role="group" aria-label="Columns of the list">
      <button
        type="button"
        aria-expanded={isOpen.value}
        aria-controls={panel}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        Columns
      </button>
      {isOpen.value && (
        <div id={panel} class="card panel">
          <fieldset class="stack tight">
            <legend>Shown beside status and task</legend>
            {COLUMNS.map(({ id, name }) => (
              <label key={id} class="inline">
                <input
                  type="checkbox"
                  checked={wanted.includes(id)}
                  onChange={({ currentTarget: { checked } }) =>
                    chooseColumns(
                      COLUMNS.map((each) => each.id).filter((each) => (each === id ? checked : wanted.includes(each))),
                    )
                  }
                />
                {name}
              </label>
            ))}
          </fieldset>
          <div class="row small">
            <a href={link}>Link with these columns</a>
            {chosenColumns.value !== undefined && (
              <button type="button" class="plain small" onClick={() => chooseColumns(undefined)}>
                Usual columns
              </button>
            )}
          </div>
        </div>
      )}
    </div>
  )
}
