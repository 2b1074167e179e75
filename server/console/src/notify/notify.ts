import { effect, signal, untracked } from '@preact/signals'
import { isTerminal, shownStateOf, toVisible } from '@svc/core/client'
import type { Approval, Run, Runtime } from '@svc/sdk/remote'
import { pendingApprovals, pendingCalls } from '../approvals/pending.ts'
import { oneLine } from '../parts/format.ts'
import { onRunEvent } from '../session/run-events.ts'
import { isSeen, isSignedOut, runtime, session } from '../session/session.ts'

const STORED = 'svc.notify'
/** A page that nobody sees may hear nothing: then it asks. */
const SELDOM_MS = 30_000
const NEWEST = 50
/** Of a task that are shown outside of the page. */
const MOST_WORDS = 80
/** Locks of the browser: who says it, and who has a window in sight. */
const [SPEAKER, IN_SIGHT] = ['svc.notify.speaker', 'svc.notify.in-sight']

/** Whether this browser has notifications: pages of another machine without HTTPS have none. */
export const canNotify = 'Notification' in globalThis && navigator.locks !== undefined

/** Whether a person wants to be notified, and lets the browser do it. */
export const isNotifying = signal(
  canNotify && localStorage.getItem(STORED) === 'on' && Notification.permission === 'granted',
)

/** Switches notifications on or off. Only on a person's click: the browser asks for leave. */
export async function toggleNotifications(): Promise<'on' | 'off' | 'refused'> {
  const isWanted = !isNotifying.peek()
  if (isWanted && (await Notification.requestPermission()) !== 'granted') return 'refused'
  isNotifying.value = isWanted
  if (isWanted) localStorage.setItem(STORED, 'on')
  else localStorage.removeItem(STORED)
  return isWanted ? 'on' : 'off'
}

/**
 * Says what waits for a person, and which of their own runs have ended, while no window of the console is in sight. Of several
 * windows one says it.
 *
 * @param go leads to a place of the console
 * @returns how to stop
 */
export function followNotifications(go: (href: string) => void): () => void {
  const stops = [
    effect(showInIcon),
    effect(() => {
      if (!isNotifying.value || isSignedOut.value) return
      const { value: from } = runtime
      return untracked(() => speak(from, go))
    }),
    effect(() => {
      if (!isNotifying.value || !isSeen.value) return
      return hold(IN_SIGHT, 'shared', () => undefined)
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** A dot on the icon of the page where something waits. */
function showInIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  const { href } =
    pendingApprovals.value > 0 ? new URL('../icon-waits.svg', import.meta.url) : new URL('../icon.svg', import.meta.url)
  if (link !== null && link.href !== href) link.href = href
}

/** Holds a lock from when it is free. @returns how to let it go */
function hold(name: string, mode: LockMode, onHeld: () => void): () => void {
  const stop = new AbortController()
  const isOver = new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()))
  navigator.locks
    .request(name, { mode, signal: stop.signal }, () => {
      onHeld()
      return isOver
    })
    .catch(() => undefined) // it was release before it was free
  return () => stop.abort()
}

function speak(from: Runtime, go: (href: string) => void): () => void {
  const known = { runs: new Map<string, Run['status']>(), approvals: new Set<string>() }
  let isSpeaker = false
  let isFirst = true
  const tell = (tag: string, title: string, body: string, href: string): void => {
    try {
      const shown = new Notification(toVisible(title), { body: toVisible(oneLine(body, MOST_WORDS)), tag })
      shown.onclick = () => {
        window.focus()
        go(href)
        shown.close()
      }
    } catch {
      // Phones show notifications of installed pages alone.
    }
  }
  const look = async (): Promise<void> => {
    if (!isSpeaker) return
    const { data } = await from.runs.list({ limit: NEWEST })
    const isQuiet = isFirst || (await navigator.locks.query()).held?.some(({ name }) => name === IN_SIGHT) === true
    for (const run of data) {
      const before = known.runs.get(run.id)
      known.runs.set(run.id, run.status)
      if (isQuiet || before === run.status || !isOwn(run)) continue
      const href = `/console/runs/${run.id}`
      if (isTerminal(run.status) && (before === undefined || !isTerminal(before)))
        tell(`svc ${run.id}`, `Run ${shownStateOf(run).text}`, run.task, href)
      else if (run.waiting?.input !== undefined) tell(`svc ${run.id}`, 'A run asks you something', run.task, href)
    }
    for (const approval of pendingCalls.peek() ?? []) {
      if (known.approvals.has(approval.id)) continue
      known.approvals.add(approval.id)
      if (!isQuiet)
        tell(`svc ${approval.id}`, `Approval needed: ${approval.tool}`, taskOf(approval, data), hrefOf(approval))
    }
    isFirst = false
  }
  const lookAgain = (): void => void look().catch(() => undefined) // the next look says what this one missed
  const timer = setInterval(lookAgain, SELDOM_MS)
  const stops = [
    hold(SPEAKER, 'exclusive', () => {
      isSpeaker = true
      lookAgain()
    }),
    onRunEvent(lookAgain, { onOpen: lookAgain }),
    effect(() => {
      void pendingCalls.value
      lookAgain()
    }),
    () => clearInterval(timer),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Whether who has this page asked for the run: another key's runs are not for them. */
const isOwn = ({ by }: Run): boolean => by === undefined || by === session.peek()?.name

const taskOf = ({ runId }: Approval, runs: readonly Run[]): string => runs.find(({ id }) => id === runId)?.task ?? ''

const hrefOf = ({ id }: Approval): string => `/console/approvals/${encodeURIComponent(id)}`
