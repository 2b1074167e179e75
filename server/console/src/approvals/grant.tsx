import { toShownPlace } from '@svc/core/client'
import type { Approval, Decision, GrantOffer, PolicyRule } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLoad } from '../session/use-load.ts'
import { onPress } from './decide-steps.tsx'

interface GrantProps {
  approval: Approval
  isSending: boolean
  /** Whether the call was seen to its end. */
  isSeen: boolean
  /** A second step follows. */
  isFirst: boolean
  onSend: (decision: Decision) => void
  back: ComponentChildren
}

/** A yes for more than this call: what it covers, and how long. The rule is shown as it will be written, and where. */
export function Grant({ approval, isSending, isSeen, isFirst, onSend, back }: GrantProps) {
  // The log of a run does not say which config a rule would be written to.
  const { value: asked = approval } = useLoad((from) => from.approvals.get(approval.id), [approval.id])
  const { offers = [], rulesFile } = asked
  const [picked, setPicked] = useState<GrantOffer['scope']>()
  const chosen = picked ?? offers[0]?.scope ?? 'call'
  const [isLasting, setLasting] = useState(false)
  const names = [useId(), useId()] as const
  const offer = offers.find(({ scope }) => scope === chosen)
  const isAlways = isLasting && offer !== undefined && rulesFile !== undefined
  // The rule, and the button that writes it, are where they are read before they are pressed.
  const end = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => end.current?.scrollIntoView({ block: 'nearest' }), [isAlways, chosen, offers.length])
  const scopes: [GrantOffer['scope'], ComponentChildren][] = [
    ...offers.map(({ scope, rule }): [GrantOffer['scope'], ComponentChildren] => [scope, <Covered rule={rule} />]),
    ['call', 'Calls equal to this one'],
  ]
  return (
    <div class="stack grant">
      <fieldset class="stack small">
        <legend>Approve, and do not ask again for</legend>
        {scopes.map(([scope, words]) => (
          <label key={scope} class="inline">
            <input type="radio" name={names[0]} checked={chosen === scope} onChange={() => setPicked(scope)} />
            <span>{words}</span>
          </label>
        ))}
      </fieldset>
      {offer !== undefined && rulesFile !== undefined && (
        <fieldset class="row small">
          <legend>For how long</legend>
          <label class="inline">
            <input type="radio" name={names[1]} checked={!isAlways} onChange={() => setLasting(false)} />
            The rest of this run
          </label>
          <label class="inline">
            <input type="radio" name={names[1]} checked={isAlways} onChange={() => setLasting(true)} />
            Always, in later runs too
          </label>
        </fieldset>
      )}
      <div role="status" class="stack small">
        {isAlways && (
          <>
            <p>
              This rule goes into <code>{toShownPlace(rulesFile)}</code>
              {offer.rule.paths === undefined ? ', and holds in every folder:' : ':'}
            </p>
            <pre class="long-text">{toShownPlace(JSON.stringify(offer.rule))}</pre>
          </>
        )}
      </div>
      <div ref={end} class="row">
        <button
          type="button"
          disabled={isSending || !isSeen}
          onClick={onPress(() => {
            const remember = isAlways ? 'always' : 'run'
            onSend({ decision: 'approve', remember, ...(chosen !== 'call' && { scope: chosen }) })
          })}
        >
          {isAlways ? 'Approve, and write the rule' : 'Approve, and do not ask again'}
          {isFirst && '…'}
        </button>
        {back}
      </div>
    </div>
  )
}

/** What a rule allows. */
function Covered({ rule: { tool, paths = [], hosts = [], command } }: { rule: PolicyRule }) {
  const shown = (texts: readonly string[]) => <code>{toShownPlace(texts.join(', '))}</code>
  return (
    <>
      {command === undefined ? shown([tool]) : <>Commands that begin with {shown([command.join(' ')])}</>}
      {paths.length > 0 && <> in {shown(paths.map((path) => path.replace(/\*\*$/, '')))}</>}
      {hosts.length > 0 && <> to {shown(hosts)}</>}
      {command === undefined && paths.length + hosts.length === 0 && ', all calls'}
    </>
  )
}
