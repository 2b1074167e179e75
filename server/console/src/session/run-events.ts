import { effect, signal, untracked } from '@preact/signals'
import type { RunEvent } from '@svc/sdk/remote'
import { isSignedOut } from './session.ts'
import { streams } from './stream/streams.ts'
import { toError } from './use-load.ts'

interface Listener {
  onEvent: (event: RunEvent) => void
  onOpen: () => void
}

/** Whether runs of other folders are listened to as well. */
export const hearsAll = signal(false)

const listeners = new Set<Listener>()
let stop: (() => void) | undefined

/**
 * Calls a listener with what begins, waits and ends, also while nobody sees the page, where windows share a stream.
 *
 * @param onOpen called when listening begins, for the first time or after a gap: what happened before is not told
 * @returns how to stop listening
 */
export function onRunEvent(
  onEvent: Listener['onEvent'],
  { onOpen = () => {} }: { onOpen?: () => void } = {},
): () => void {
  const listener = { onEvent, onOpen }
  listeners.add(listener)
  if (stop === undefined) stop = listen()
  // A stream that is open already says so to nobody else.
  else onOpen()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    stop?.()
    stop = undefined
  }
}

const listen = (): (() => void) =>
  effect(() => {
    if (isSignedOut.value) return
    const tell = (what: (listener: Listener) => void): void =>
      untracked(() => {
        for (const listener of listeners) what(listener)
      })
    return streams.value?.readFeed({
      all: hearsAll.value,
      onEvent: (event) => tell(({ onEvent }) => onEvent(event)),
      onOpen: () => tell(({ onOpen }) => onOpen()),
      onEnd: (error) => void (error && toError(error)),
    })
  })
