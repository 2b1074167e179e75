import { isTerminal } from '@svc/core/client'
import { useEffect, useRef } from 'preact/hooks'
import { ApprovalCard } from '../../approvals/approval-card.tsx'
import { oneLine } from '../../parts/format.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { ClientCalls } from '../../run/head/client-calls.tsx'
import { GoOn } from '../../run/head/go-on.tsx'
import { InputForm } from '../../run/head/input-form.tsx'
import { useLoad } from '../../session/use-load.ts'
import { resultOf } from '../../state/outcome.ts'
import { waitOf } from '../../state/wait.ts'
import { Said } from '../steer/said.tsx'
import { sentTo, unreadOf } from '../steer/sent.ts'
import { growingAnswer } from '../work/lines.ts'
import { useShown } from '../work/use-shown.ts'
import { Work } from '../work/work.tsx'
import type { Turn } from './turns.ts'

/** How often it is asked what another window said to the run. */
const UNREAD_MS = 3_000

interface LiveTurnProps {
  turn: Turn
  /** Called when it has ended: what it came to is read then. */
  onEnd: () => void
  /** Says something to people who cannot see it. */
  announce: (text: string) => void
}

/** A run at work: what it does, what it says, and what it asks. */
export function LiveTurn({ turn, onEnd, announce }: LiveTurnProps) {
  const shown = useShown(turn.runId, turn.run)
  const { live } = shown
  const wait = waitOf(live)
  const isEnded = isTerminal(live.view.status)
  // Another window may have said something.
  const { value: listed } = useLoad(({ runs }) => runs.get(turn.runId), [turn.runId], { everyMs: UNREAD_MS })
  const unread = unreadOf(turn.runId, live.view, listed?.unread)
  const { length: read } = live.view.messages
  const wasRead = useRef(read)
  useEffect(() => {
    // What was read before the log was here is no news.
    const newest = live.view.messages.at(-1)
    if (wasRead.current < read && newest !== undefined && sentTo(turn.runId).some(({ id }) => id === newest.id))
      announce(`Read: ${oneLine(newest.text, 80)}`)
    wasRead.current = read
  }, [read])
  const asks = (wait?.approvals.length ?? 0) + (wait?.input === undefined ? 0 : 1)
  useEffect(() => {
    if (isEnded) onEnd()
  }, [isEnded])
  useEffect(() => {
    if (asks > 0)
      announce(wait?.input === undefined ? 'A call waits for your approval.' : 'The run asks you something.')
  }, [asks])
  // What it came to stands here until the message is read.
  const text = isEnded ? (resultOf(live)?.summary ?? '') : growingAnswer(shown)
  return (
    <div class="chat-live">
      <Work shown={shown} isLive />
      {text !== '' && <Markdown text={text} isGrowing={!isEnded} level={2} />}
      {wait?.approvals.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} onResolved={() => undefined} />
      ))}
      {wait !== undefined && <ClientCalls calls={wait.calls} />}
      {shown.isLeft && live.view.status === 'running' && (
        <div class="chat-ending" data-tone="quiet">
          <p>Nobody works on this any more: the process that did has ended.</p>
          <div class="row">
            <GoOn id={turn.runId} />
          </div>
        </div>
      )}
      {wait?.input !== undefined && (
        <section class="card chat-question" aria-label="A question for you">
          <InputForm key={wait.input.prompt} id={turn.runId} input={wait.input} />
        </section>
      )}
      {unread.map((message) => (
        <Said key={message.id} message={message}>
          {asks > 0 ? 'Sent: it is read once what waits above is answered.' : 'Sent: it is read before the next step.'}
        </Said>
      ))}
    </div>
  )
}
