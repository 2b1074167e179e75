import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { plural } from '../../parts/format.ts'
import { mayDo } from '../../session/session.ts'
import type { ShownRuns } from '../use-runs.ts'
import { BulkDialog } from './bulk-dialog.tsx'
import { type BulkAct, chosen, isFor, withChosen } from './chosen.ts'

interface ChosenBarProps {
  runs: ShownRuns
  /** Begins a run like this one. */
  onAgain: (id: string) => void
}

/** What can be done about the runs that are chosen. */
export function ChosenBar({ runs: { list, removed }, onAgain }: ChosenBarProps) {
  const act = useSignal<BulkAct | undefined>(undefined)
  // As they are now, where they are in the list.
  const all = useMemo(() => {
    const known = new Map(list.rows.map((row) => [row.id, row]))
    return [...chosen.value.values()].map((run) => known.get(run.id) ?? run)
  }, [chosen.value, list.rows])
  const { value: acting } = act
  const count = (asked: BulkAct): number => all.filter((run) => isFor(asked, run)).length
  const [toCancel, toDelete] = [count('cancel'), count('delete')]
  const [one, other] = all
  if (all.length === 0 && acting === undefined) return null
  const unchosen = list.rows.filter(({ id }) => !chosen.value.has(id))
  const able = acting === undefined ? [] : all.filter((run) => isFor(acting, run))
  return (
    <>
      {all.length > 0 && (
        <div class="row bar marked" role="region" aria-label="Chosen runs">
          <b class="number">{plural(all.length, 'run')} chosen</b>
          {one !== undefined && other !== undefined && all.length === 2 && (
            <a class="button" href={`/console/compare/${one.id}/${other.id}`}>
              Compare the two
            </a>
          )}
          {one !== undefined && all.length === 1 && (
            <button type="button" onClick={() => onAgain(one.id)}>
              Run it again
            </button>
          )}
          {toCancel > 0 && mayDo('submit') && (
            <button type="button" onClick={() => (act.value = 'cancel')}>
              Cancel {toCancel}…
            </button>
          )}
          {toDelete > 0 && mayDo('admin') && (
            <button type="button" class="danger" onClick={() => (act.value = 'delete')}>
              Delete {toDelete}…
            </button>
          )}
          {unchosen.length > 0 && (
            <button
              type="button"
              class="plain"
              onClick={() => (chosen.value = withChosen(chosen.value, unchosen, true))}
            >
              Choose all {list.rows.length} listed
            </button>
          )}
          <button type="button" class="plain spread" onClick={() => (chosen.value = new Map())}>
            Choose none
          </button>
        </div>
      )}
      {acting !== undefined && (
        <BulkDialog
          key={acting}
          act={acting}
          runs={able}
          others={all.length - able.length}
          onDone={(id) => {
            const run = chosen.peek().get(id)
            if (run !== undefined) chosen.value = withChosen(chosen.peek(), [run], false)
            if (acting === 'delete') removed(id)
          }}
          onClose={() => (act.value = undefined)}
        />
      )}
    </>
  )
}
