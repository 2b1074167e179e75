import { computed, effect, signal } from '@preact/signals'
import { isSeen, isStreamAway, rest, serverKey } from '../session.ts'
import { canShare, openOwn, openShared } from './open-port.ts'
import { WindowStreams } from './window-streams.ts'

const isShared = signal(canShare)
/** Counts workers that ended by themselves: the browser, or a person, may end one. */
const losses = signal(0)
/** Whether the page lies in the browser's memory, and may be shown again from there. */
const isKept = signal(false)
addEventListener('pagehide', () => (isKept.value = true))
addEventListener('pageshow', () => (isKept.value = false))

/** A stream of its own takes one of the six connections that all windows have: it goes on where somebody looks. */
const isOpen = computed(() => !isKept.value && (isShared.value || isSeen.value))

/** What this window reads of the server's events; undefined while it reads nothing. A new key makes a new one. */
export const streams = computed(() => {
  if (!isOpen.value) return undefined
  const { value: key } = serverKey
  void losses.value
  const port = isShared.value ? openShared(() => (isShared.value = false)) : openOwn()
  return new WindowStreams(port, {
    key,
    onAway: (away) => (isStreamAway.value = away),
    onBusy: rest,
    onLost: () => losses.value++,
  })
})

let open = streams.value
effect(() => {
  if (open !== streams.value) open?.close()
  open = streams.value
})
