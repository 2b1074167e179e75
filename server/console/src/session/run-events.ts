import { effect, signal, untracked } from '@preact/signals'
import type { RunEvent } from '@svc/sdk/remote'
import { isSeen, isSignedOut, runtime } from './session.ts'

interface Listener {
  onEvent: (event: RunEvent) => void
  onOpen: () => void
}

/** Whether runs of other folders are listened to as well. */
export const hearsAll = signal(false)

const listeners = new Set<Listener>()
let stop: (() => void) | undefined

/**
 * Calls a listener with what begins, waits and ends. One stream serves the whole page, and none does while nobody
 * sees it: over HTTP/1.1 a browser has six connections to a server, for all its tabs.
 *
 * @param onOpen called each time when listening begins: what happened before is not told
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
    if (isSignedOut.value || !isSeen.value) return
    const { value: from } = runtime
    const tell = (what: (listener: Listener) => void): void =>
      untracked(() => {
        for (const listener of listeners) what(listener)
      })
    return from.onRunEvent((event) => tell(({ onEvent }) => onEvent(event)), {
      onOpen: () => tell(({ onOpen }) => onOpen()),
      ...(hearsAll.value && { all: true }),
    })
  })
