import { useSignal } from '@preact/signals'
import type { Run } from '@svc/sdk/remote'
import { useMemo } from 'preact/hooks'
import { useCalm } from '../../run/live/use-calm.ts'
import { isLeftOf, type ShownRun } from '../../run/shown-run.ts'
import { useRun } from '../../session/use-run.ts'

/** Text that comes is drawn this often at most: quicker than one can read. */
const TEXT_MS = 60

/** Follows a run of the conversation. @param run as it is listed, where it is */
export function useShown(id: string, run: Run | undefined): ShownRun & { error: ReturnType<typeof useRun>['error'] } {
  const { state, version, error } = useRun(id)
  const past = useSignal<number | undefined>(undefined)
  const turn = useCalm(version.value, TEXT_MS)
  const { length: told } = state.events
  const isLeft = isLeftOf(run, state)
  return useMemo(
    () => ({ id, live: state, state, past, isLeft, elsewhere: undefined, turn, error }),
    [id, state, told, isLeft, turn, error],
  )
}
