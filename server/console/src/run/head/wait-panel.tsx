import { JsonText } from '../../parts/text.tsx'
import type { Wait } from '../../state/wait.ts'
import { InputForm } from './input-form.tsx'

/** What a run waits for from a person, and the way to give it. */
export function WaitPanel({ id, wait }: { id: string; wait: Wait }) {
  return (
    <section class="card wait-panel" aria-labelledby="wait-title">
      <header>
        <h2 id="wait-title">It waits for you</h2>
      </header>
      <div class="body stack">
        {wait.approvals.map((approval) => (
          <article key={approval.id} class="stack">
            <p>
              <strong class="mono">{approval.tool}</strong> wants to be called. {approval.preview}
              <span class="soft"> Asked by: {approval.reason}</span>
            </p>
            <JsonText value={approval.args} label={`Arguments of ${approval.tool}`} />
            <div class="row">
              <a class="button" href={`/console/approvals/${approval.id}`}>
                Approve or deny
              </a>
            </div>
          </article>
        ))}
        {wait.input !== undefined && <InputForm key={wait.input.prompt} id={id} input={wait.input} />}
      </div>
    </section>
  )
}
