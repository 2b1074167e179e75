import { isTerminal } from '@svc/core/client'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { formatCount, formatDuration, oneLine, tokensOf, toText } from '../../parts/format.ts'
import { Markdown } from '../../parts/markdown/markdown.tsx'
import { Status } from '../../parts/status.tsx'
import { type AgentTalk, type TalkItem, talkOf } from '../../state/talk.ts'
import { callStatus, partOf, type ShownRun } from '../shown-run.ts'
import { GrowingText } from './growing-text.tsx'
import { useCalm } from './use-calm.ts'
import './talk.css'

/** Of what an agent said and called before, this much is kept in the page. */
const MOST_ITEMS = 40
/** A panel that is this near to its end goes on following it, in pixels. */
const NEAR_END = 24
/** Pieces are written this often at most: quicker than one can read, and cheap with many agents at once. */
const TEXT_MS = 60

/** What each agent says now, piece by piece, with the tools that it calls in between. */
export function Talk({ shown }: { shown: ShownRun }) {
  const { state, isLeft } = shown
  const told = state.events.length
  const talks = useMemo(() => talkOf(state.view), [state, told])
  const calm = useCalm(shown.turn, TEXT_MS)
  return useMemo(() => <Panels shown={shown} talks={talks} />, [state, told, calm, isLeft])
}

function Panels({ shown, talks }: { shown: ShownRun; talks: readonly AgentTalk[] }) {
  const frames = useRef(new Map<HTMLElement, boolean>())
  // All texts are written by now: the first end that is looked up lays the page out, once for all panels.
  useLayoutEffect(() => {
    for (const [frame, follows] of frames.current) if (follows) frame.scrollTop = frame.scrollHeight
  })
  if (talks.length === 0) return null
  const isOver = isTerminal(shown.state.view.status)
  return (
    <section class="stack" aria-labelledby="talk-title">
      <h2 id="talk-title">{isOver ? 'What the agents said' : 'What the agents say'}</h2>
      <div class="talks" data-over={isOver}>
        {talks.map((talk) => (
          <Panel key={talk.agentId} talk={talk} shown={shown} frames={frames.current} />
        ))}
      </div>
    </section>
  )
}

function Panel({ talk, shown, frames }: { talk: AgentTalk; shown: ShownRun; frames: Map<HTMLElement, boolean> }) {
  const { agentId, name, role, status, items } = talk
  const frame = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return
    frames.set(current, true)
    return () => void frames.delete(current)
  }, [frames])
  const left = Math.max(0, items.length - MOST_ITEMS)
  const { usage } = shown.state.view.usageOfAgent(agentId)
  return (
    <article class="card talk" aria-label={`${name} says`}>
      <header>
        <strong>{name}</strong>
        {role !== '' && <span class="soft small">{role}</span>}
        <span class="spread small number soft">{formatCount(tokensOf(usage))} tokens</span>
        <Status of={partOf(shown, status, agentId)} />
      </header>
      <div
        ref={frame}
        class="talk-frame"
        role="log"
        aria-live="off"
        aria-label={`Text of ${name}`}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          if (frame.current !== null) frames.set(frame.current, scrollTop + clientHeight >= scrollHeight - NEAR_END)
        }}
      >
        {left > 0 && <p class="soft small">{left} earlier ones stand in the timeline.</p>}
        {items.slice(left).map((item, index) => (
          <Item key={left + index} item={item} shown={shown} />
        ))}
      </div>
    </article>
  )
}

function Item({ item, shown }: { item: TalkItem; shown: ShownRun }) {
  if (item.kind === 'said') {
    const { call } = item
    const reasoning = shown.state.reasoning.get(`${call.agentId}|${call.callId}`)
    return (
      <div class="talk-item">
        {reasoning !== undefined && (
          <details class="reasoning">
            <summary class="small soft">Reasoning</summary>
            <GrowingText text={reasoning} />
          </details>
        )}
        {call.retries > 0 && (
          <p class="small soft">Tried again {call.retries === 1 ? 'once' : `${call.retries} times`}.</p>
        )}
        {call.text !== '' ? (
          <Markdown text={call.text} isGrowing={call.status === 'running' && !isTerminal(shown.state.view.status)} />
        ) : (
          call.status === 'running' &&
          !isTerminal(shown.state.view.status) && <p class="soft small">waits for {call.model || 'the model'}</p>
        )}
        {call.error !== undefined && (
          <p class={call.error.code === 'cancelled' ? 'soft small' : 'error-text'}>{call.error.message}</p>
        )}
      </div>
    )
  }
  const { call } = item
  const status = callStatus(shown, call)
  return (
    <p class="called">
      <Status of={status} label="" /> <strong class="mono">{call.tool}</strong>{' '}
      <span class="soft mono tiny clip">{oneLine(toText(call.args), 120)}</span>{' '}
      <span class="small spread">{status === 'completed' ? formatDuration(call.durationMs) : status}</span>
    </p>
  )
}
