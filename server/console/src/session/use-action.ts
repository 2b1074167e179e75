import { useSignal } from '@preact/signals'
import type { SvcError } from '@svc/sdk/remote'
import { toError } from './use-load.ts'

/** Something that a person asks for, done once at a time. */
export interface Action<Given extends unknown[]> {
  act: (...given: Given) => Promise<void>
  isBusy: boolean
  /** Why it failed when it was last tried. */
  error: SvcError | undefined
}

export function useAction<Given extends unknown[]>(todo: (...given: Given) => Promise<unknown>): Action<Given> {
  const isBusy = useSignal(false)
  const error = useSignal<SvcError | undefined>(undefined)
  const act = async (...given: Given): Promise<void> => {
    if (isBusy.peek()) return
    isBusy.value = true
    error.value = undefined
    try {
      await todo(...given)
    } catch (thrown) {
      error.value = toError(thrown)
    } finally {
      isBusy.value = false
    }
  }
  return { act, isBusy: isBusy.value, error: error.value }
}
