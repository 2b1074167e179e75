import { useEffect, useState } from 'preact/hooks'
import { useLoad } from '../../session/use-load.ts'
import { useRested } from '../../session/use-rested.ts'
import { type Completable, type Completion, completeCommand, findCompletable } from './completion.ts'

const MOST = 8
const PAUSE_MS = 120

/** Ways to complete what is being written. */
interface Completions {
  of: Completable | undefined
  found: readonly Completion[]
  /** The one that Enter takes. */
  chosen: number
  /** Goes on to the next one, or the one before. */
  move: (by: number) => void
  close: () => void
}

export function useCompletion(text: string, caret: number): Completions {
  const [closed, setClosed] = useState<string>()
  const [chosen, setChosen] = useState(0)
  const asked = findCompletable(text, caret)
  const key = asked && `${asked.kind} ${asked.start}`
  const of = key === closed ? undefined : asked
  const q = useRested(of?.kind === 'file' ? of.typed : undefined, PAUSE_MS)
  const { value: files } = useLoad(
    async ({ files: find }) => (q === undefined ? undefined : find?.({ ...(q !== '' && { q }), limit: MOST })),
    [q],
  )
  const names = of?.kind === 'file' && q !== undefined ? (files?.data ?? []) : []
  const found = of?.kind === 'command' ? completeCommand(of.typed) : names.map((value) => ({ value, about: '' }))
  useEffect(() => setChosen(0), [key, of?.typed])
  useEffect(() => {
    if (key === undefined) setClosed(undefined)
  }, [key])
  const { length: count } = found
  return {
    of,
    found,
    chosen: Math.min(chosen, Math.max(0, count - 1)),
    move: (by) => setChosen((before) => (count === 0 ? 0 : (before + by + count) % count)),
    close: () => setClosed(key),
  }
}
