import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { EMPTY_DRAFT, type Problems, toProblems } from '../runs/new-run/draft.ts'
import { toError } from '../session/use-load.ts'
import { options } from './composer/draft-state.ts'

/** Does one thing at a time, and keeps what is said of it at the composer. @param id of the conversation that is shown */
export function useSending(id: string) {
  const isSending = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const problems = useSignal<Problems>({})
  const note = useSignal('')
  const shown = useRef(id)
  shown.current = id
  const clear = (): void => {
    problem.value = undefined
    problems.value = {}
    note.value = ''
  }
  useLayoutEffect(clear, [id])
  const once = async (work: () => Promise<void>): Promise<void> => {
    if (isSending.peek()) return
    isSending.value = true
    clear()
    try {
      await work()
    } catch (thrown) {
      if (shown.current !== id) return
      const { other, task, files, ...found } = toProblems(toError(thrown), { ...EMPTY_DRAFT, ...options.peek() })
      problems.value = found
      problem.value = other ?? task ?? files ?? Object.values(found)[0]
    } finally {
      isSending.value = false
    }
  }
  /** Whether the conversation of this drawing is still the one that is shown. */
  const isShown = (): boolean => shown.current === id
  return { isSending, problem, problems, note, once, isShown }
}
export type Sending = ReturnType<typeof useSending>
