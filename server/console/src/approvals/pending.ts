import { computed, effect, signal } from '@preact/signals'
import type { Approval, Page, Runtime } from '@svc/sdk/remote'
import { viewTitle } from '../parts/view-title.ts'
import { onRunEvent } from '../session/run-events.ts'
import { isBusy, isSignedOut, runtime, wasIn } from '../session/session.ts'
import { toError } from '../session/use-load.ts'

/** How often it is asked beside what the server says by itself: a page that nobody sees hears nothing. */
const SELDOM_MS = 30_000
const MOST_PAGES = 10

/** Calls that wait for a person's word, the oldest first; undefined before the first answer. */
export const pendingCalls = signal<readonly Approval[] | undefined>(undefined)

/** How many there are. */
export const pendingApprovals = computed(() => pendingCalls.value?.length ?? 0)

/** Answered in this page: a run takes an answer in a moment, and its question is listed until then. */
const answered = new Set<string>()

/** Takes a call that was answered off the list. */
export function dropPending(id: string): void {
  answered.add(id)
  pendingCalls.value = pendingCalls.value?.filter((approval) => approval.id !== id)
}

/** How often the list was asked for, and which of these times the list that is shown answers. */
let [asked, newest] = [0, 0]

/** Asks for the list again. */
export async function reloadPending(): Promise<void> {
  if (isSignedOut.peek() || isBusy.peek()) return
  const from = runtime.peek()
  const mine = ++asked
  try {
    const listed = await listPending(from)
    wasIn.value = true
    // What was asked later knows more, whichever answer comes first.
    if (mine < newest || from !== runtime.peek()) return
    newest = mine
    pendingCalls.value = listed.filter(({ id }) => !answered.has(id))
  } catch (thrown) {
    // An old key's refusal says nothing of the new one. What else fails, the view of the moment says.
    if (from === runtime.peek()) toError(thrown)
  }
}

async function listPending({ approvals }: Runtime): Promise<Approval[]> {
  const all: Approval[] = []
  let page: Page<Approval> | undefined
  for (let pages = 0; pages < MOST_PAGES && (page === undefined || page.nextCursor !== undefined); pages++) {
    const after = page?.nextCursor
    page = await approvals.list({ status: 'pending', order: 'asc', limit: 100, ...(after && { after }) })
    all.push(...page.data)
  }
  return all
}

const reload = (): void => void reloadPending()

/** Keeps the list as it is on the server, and the number of calls in the page's title. @returns how to stop */
export function followPending(): () => void {
  const stopAsking = effect(() => {
    void runtime.value
    if (isSignedOut.value) return
    void reloadPending()
    const stopListening = onRunEvent(reload, { onOpen: reload })
    const timer = setInterval(reload, SELDOM_MS)
    return () => {
      clearInterval(timer)
      stopListening()
    }
  })
  const stopCounting = effect(() => {
    const { value: count } = pendingApprovals
    const title = viewTitle.value === '' ? 'svc' : `${viewTitle.value} · svc`
    document.title = count === 0 ? title : `(${count}) ${title}`
  })
  return () => {
    stopAsking()
    stopCounting()
  }
}
