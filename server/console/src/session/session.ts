import { batch, computed, effect, signal } from '@preact/signals'
import {
  createRemoteRuntime,
  exchangeCode as exchange,
  readSession,
  readSignIn,
  type Session,
  type SignInOptions,
} from '@svc/sdk/remote'
import { askTimed } from './clock.ts'

/** Where the key stands: in the tab alone, gone with it. */
const KEY = 'svc.key'
/** How long one request may take. */
const TIMEOUT_MS = 30_000
/** How often a server that is away is asked. */
const RETRY_MS = 2_000

/** The server's key as it was entered; empty without one. */
export const serverKey = signal(sessionStorage.getItem(KEY) ?? '')

/** Whether the code of the page's address is being exchanged for a key. */
const isExchanging = signal(false)

/** The code of a link that `svc serve` has printed: it is good once, and gone from the address at once. */
export async function exchangeCode(): Promise<void> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return
  history.replaceState(history.state, '', location.pathname + location.search)
  isExchanging.value = true
  const key = await exchange({ serverUrl: location.origin }, code).catch(() => undefined)
  if (key !== undefined) enterKey(key)
  isExchanging.value = false
}

/** Why a key is asked for: nothing, none was given, or the one that was given is wrong. */
export const keyWanted = signal<'no' | 'missing' | 'wrong'>('no')

/** Where people sign in; undefined where they do not, and before it is known. */
export const signIn = signal<SignInOptions | undefined>(undefined)

/** Whether the server could be reached when this window last asked it something. */
const isAskedAway = signal(false)

/** Whether the stream of events is cut. */
export const isStreamAway = signal(false)

/** Whether the server can be reached, as far as is known. */
export const isAway = computed(() => isAskedAway.value || isStreamAway.value)

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
      isAskedAway.value = state === 'away'
    },
    onBusy: rest,
    fetch: askTimed,
  }),
)

let resting: ReturnType<typeof setTimeout> | undefined
/** Asks for nothing by itself for a while: the server has had enough. */
export function rest(ms: number): void {
  isBusy.value = true
  clearTimeout(resting)
  resting = setTimeout(() => (isBusy.value = false), ms || RETRY_MS)
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

/** Goes on with another key; with none where it is empty. */
export function enterKey(key: string): void {
  if (key === '') sessionStorage.removeItem(KEY)
  else sessionStorage.setItem(KEY, key)
  // At once: nothing may ask with the old key and be refused.
  batch(() => {
    keyWanted.value = 'no'
    serverKey.value = key
  })
}

/** Who this tab is to the server, and what it may do; undefined before the server has said so. */
export const session = signal<Session | undefined>(undefined)
/** Whether the tab has the scope, as far as is known: the server says it again. */
export const mayDo = (scope: Session['scopes'][number]): boolean =>
  session.value === undefined || session.value.scopes.includes(scope) || session.value.scopes.includes('admin')

/** Names of who has signed in begin so. */
const PERSON = 'oidc:'
/** Who has signed in with this browser; undefined for nobody. */
export const person = computed(() => {
  const { name = '' } = session.value ?? {}
  return name.startsWith(PERSON) ? name.slice(PERSON.length) : undefined
})
/** Whether somebody is signed in who may do nothing here. */
export const hasNoRole = computed(() => session.value?.scopes.length === 0)

/** Whether the tab has no key, of a server that asks for one only where something is decided. */
export const isAnonymous = computed(() => session.value?.name === 'anonymous')

const askSession = (key: string): Promise<Session | undefined> =>
  readSession({ serverUrl: location.origin, ...(key !== '' && { serverKey: key }) }).catch(() => undefined)

effect(() => {
  const { value: key } = serverKey
  if (isAway.value || isExchanging.value) return
  void askSession(key).then((found) => {
    if (serverKey.peek() === key) session.value = found
  })
})

// In another window somebody else may have signed in: what is shown here would not be theirs.
effect(() => {
  if (!isSeen.value || person.peek() === undefined) return
  void askSession(serverKey.peek()).then((found) => {
    if (found !== undefined && found.name !== session.peek()?.name) location.reload()
  })
})

/** The server refused what was asked for want of a good key. */
export async function refuseKey(): Promise<void> {
  if (isAnonymous.peek()) return
  const key = serverKey.peek()
  // A server that has been started again has another key, and may be read without.
  const isOpen = key !== '' && (await askSession('')) !== undefined
  const found = isOpen
    ? undefined
    : (signIn.peek() ?? (await readSignIn({ serverUrl: location.origin }).catch(() => undefined)))
  // Meanwhile another one was entered: nothing is known of that.
  if (serverKey.peek() !== key) return
  if (found !== undefined) signIn.value = found
  if (isOpen) enterKey('')
  else keyWanted.value = key === '' ? 'missing' : 'wrong'
}

/** Whether nothing can be asked before a key is entered, or somebody else signs in. */
export const isSignedOut = computed(() => keyWanted.value !== 'no' || hasNoRole.value)
