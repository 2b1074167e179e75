import { batch, computed, effect, signal } from '@preact/signals'
import { createRemoteRuntime } from '@svc/sdk/remote'

/** Where the key stands: in the tab alone, gone with it. */
const KEY = 'svc.key'
/** How long one request may take. */
const TIMEOUT_MS = 30_000
/** How often a server that is away is asked. */
const RETRY_MS = 2_000

/** The server's key as it was entered; empty without one. */
const serverKey = signal(sessionStorage.getItem(KEY) ?? '')

/** Why a key is asked for: nothing, none was given, or the one that was given is wrong. */
export const keyWanted = signal<'no' | 'missing' | 'wrong'>('no')

/** Whether the server could be reached when it was last asked. */
export const isAway = signal(false)

/** Whether the server has had enough requests for now. What was asked for is asked again when it takes more. */
export const isBusy = signal(false)

/** Whether the server has taken a key, or wants none: what is on the page then stays there while another is entered. */
export const wasIn = signal(false)

/** Whether the page is in sight. */
export const isSeen = signal(!document.hidden)
document.addEventListener('visibilitychange', () => {
  isSeen.value = !document.hidden
})

/** The one way to the server. A new key makes a new one, and whatever was loaded is loaded again. */
export const runtime = computed(() =>
  createRemoteRuntime({
    serverUrl: location.origin,
    ...(serverKey.value !== '' && { serverKey: serverKey.value }),
    timeoutMs: TIMEOUT_MS,
    // A page that is left open goes on whenever the server is back.
    patienceMs: Number.POSITIVE_INFINITY,
    onConnection: (state) => {
      isAway.value = state === 'away'
    },
    onBusy: (forMs) => rest(forMs || RETRY_MS),
  }),
)

let resting: ReturnType<typeof setTimeout> | undefined
function rest(ms: number): void {
  isBusy.value = true
  clearTimeout(resting)
  resting = setTimeout(() => (isBusy.value = false), ms)
}

// What was asked for waits meanwhile, so somebody has to look whether the server is back.
effect(() => {
  if (!isAway.value) return
  const timer = setInterval(
    () =>
      void runtime
        .peek()
        .health()
        .catch(() => {}),
    RETRY_MS,
  )
  return () => clearInterval(timer)
})

let open = runtime.value
effect(() => {
  if (open !== runtime.value) void open.close()
  open = runtime.value
})

/** Goes on with another key. */
export function enterKey(key: string): void {
  sessionStorage.setItem(KEY, key)
  // At once: nothing may ask with the old key and be refused.
  batch(() => {
    keyWanted.value = 'no'
    serverKey.value = key
  })
}

/** The server refused what was asked for want of a good key. */
export function refuseKey(): void {
  keyWanted.value = serverKey.value === '' ? 'missing' : 'wrong'
}

/** Whether nothing can be asked before a key is entered. */
export const isSignedOut = computed(() => keyWanted.value !== 'no')
