import { signal } from '@preact/signals'
import { isTerminal, isTerminalEvent, type RunView } from '@svc/core/client'
import type { RunMessage } from '@svc/sdk/remote'
import { EMPTY_DRAFT, toRunCreate } from '../../runs/new-run/draft.ts'
import { onRunEvent } from '../../session/run-events.ts'
import { runtime } from '../../session/session.ts'
import { options } from '../composer/draft-state.ts'

/** What this window said to runs at work, by run; without what came too late and could not be sent as the next message. */
const sent = signal<ReadonlyMap<string, readonly RunMessage[]>>(new Map())
/** Runs whose end was seen: what they did not read is sent once. */
const ended = new Set<string>()
let isListening = false

export const sentTo = (runId: string): readonly RunMessage[] => sent.value.get(runId) ?? []

/** What was said to a run and no agent has read yet, as far as this window knows. @param listed `unread` of the run */
export function unreadOf(runId: string, { messages }: RunView, listed: readonly RunMessage[] = []): RunMessage[] {
  const known = new Set(messages.map(({ id }) => id))
  return [...listed, ...sentTo(runId)].filter(({ id }) => !known.has(id) && known.add(id))
}

/** Says something to a run at work. What no agent reads before it ends is sent as the next message. */
export async function steer(runId: string, text: string): Promise<void> {
  const message = await runtime.peek().runs.steer(runId, { text })
  sent.value = new Map([...sent.peek(), [runId, [...sentTo(runId), message]]])
  if (!isListening) onRunEvent((event) => isTerminalEvent(event) && void sendUnread(event.runId), { onOpen: lookAtAll })
  isListening = true
  // It may have ended while the answer was on its way.
  void sendUnread(runId)
}

function lookAtAll(): void {
  for (const id of sent.peek().keys()) void sendUnread(id)
}

async function sendUnread(runId: string): Promise<void> {
  const { runs } = runtime.peek()
  if (!sent.peek().has(runId) || ended.has(runId)) return
  try {
    const { status, threadId, unread = [] } = await runs.get(runId)
    if (!isTerminal(status) || ended.has(runId)) return
    ended.add(runId)
    const own = new Set(
      sent
        .peek()
        .get(runId)
        ?.map(({ id }) => id),
    )
    const late = unread.filter(({ id }) => own.has(id))
    const [first] = late
    // Who stops a run says by that what comes next.
    if (first === undefined || threadId === undefined || status === 'cancelled') return forget(runId)
    const create = toRunCreate({ ...EMPTY_DRAFT, ...options.peek(), task: toTask(late), threadId })
    await runs.create(create, { idempotencyKey: `unread-${first.id}` })
  } catch {
    // It stands in the conversation, to be sent by hand.
    forget(runId)
  }
}

function forget(runId: string): void {
  const { [runId]: _, ...others } = Object.fromEntries(sent.peek())
  sent.value = new Map(Object.entries(others))
}

/** Messages as one. */
export const toTask = (messages: readonly RunMessage[]): string => messages.map(({ text }) => text).join('\n\n')
