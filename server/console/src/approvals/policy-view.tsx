import { ErrorNote } from '../parts/error-note.tsx'
import { useLoad } from '../session/use-load.ts'
import { limitsOf, ruleInWords } from './policy-in-words.ts'

/** Which calls are allowed, asked about and denied, and who says so. */
export function PolicyView() {
  const { value: info, error, reload } = useLoad((from) => from.describe(), [])
  if (info === undefined) {
    return error === undefined ? <p class="empty">Asking the server…</p> : <ErrorNote error={error} onRetry={reload} />
  }
  const { default: byDefault, defaultSource, rules, builtIn, sandbox, root } = info.policy
  const limits = limitsOf(info)
  return (
    <div class="stack">
      <p>
        Of all rules about a call the strictest wins: <strong>deny</strong> before <strong>ask</strong> before{' '}
        <strong>allow</strong>. A run’s own options can take tools away; where nobody is there to answer, one that was
        started with allow-write lets tools of risk write act without a question.
      </p>
      <section class="card">
        <header>
          <h2>Rules</h2>
          <span class="soft small">in the order in which they are looked at</span>
        </header>
        {rules.length === 0 ? (
          <p class="empty">No rule is set: what is built in holds. Rules stand in the config, under policy.rules.</p>
        ) : (
          <div class="scroll" tabIndex={0} role="region" aria-label="Rules">
            <table class="policy-rules">
              <thead>
                <tr>
                  <th scope="col" class="number">
                    No.
                  </th>
                  <th scope="col">Decision</th>
                  <th scope="col">Rule</th>
                  <th scope="col">From</th>
                </tr>
              </thead>
              <tbody>
                {rules.map(({ rule, source }, index) => (
                  <tr key={index}>
                    <td class="number">{index + 1}</td>
                    <td>
                      <strong data-verdict={rule.decision}>{rule.decision}</strong>
                    </td>
                    <td>{ruleInWords(rule)}</td>
                    <td class="mono">{source}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      <section class="card">
        <header>
          <h2>Where no rule is about a call</h2>
        </header>
        <div class="body stack">
          {byDefault !== undefined && (
            <p>
              By default: <strong data-verdict={byDefault}>{byDefault}</strong>
              {defaultSource !== undefined && <span class="soft"> ({defaultSource})</span>}
            </p>
          )}
          <ul class="plain-list">
            {builtIn.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      </section>
      <section class="card">
        <header>
          <h2>Where tools work, and how much a run may use</h2>
        </header>
        <dl class="facts body">
          <dt>Sandbox of programs</dt>
          <dd>{sandbox ?? 'auto: the best there is on this machine'}</dd>
          <dt>Folder that tools are confined to</dt>
          <dd class="mono">{root}</dd>
          {limits.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>])}
          {limits.length === 0 && [
            <dt key="limits">Limits of a run</dt>,
            <dd key="none">none beyond its token budget</dd>,
          ]}
        </dl>
      </section>
    </div>
  )
}
