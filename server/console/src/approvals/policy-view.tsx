import { Card } from '../parts/card.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Facts } from '../parts/facts.tsx'
import { Table } from '../parts/table.tsx'
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
      <Card title="Rules" note="in the order in which they are looked at">
        {rules.length === 0 ? (
          <p class="empty">No rule is set: what is built in holds. Rules stand in the config, under policy.rules.</p>
        ) : (
          <Table label="Table: Rules" heads={[{ number: 'No.' }, 'Decision', 'Rule', 'From']}>
            {rules.map(({ rule, source }, index) => (
              <tr key={index}>
                <td class="number">{index + 1}</td>
                <td>
                  <strong data-verdict={rule.decision}>{rule.decision}</strong>
                </td>
                <td class="wide">{ruleInWords(rule)}</td>
                <td class="mono">{source}</td>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      <Card title="Where no rule is about a call">
        <div class="body stack">
          {byDefault !== undefined && (
            <p>
              By default: <strong data-verdict={byDefault}>{byDefault}</strong>
              {defaultSource !== undefined && <span class="soft"> ({defaultSource})</span>}
            </p>
          )}
          <ul class="dotted">
            {builtIn.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      </Card>
      <Card title="Where tools work, and how much a run may use">
        <Facts
          class="body"
          of={[
            ['Sandbox of programs', sandbox ?? 'auto: the best there is on this machine'],
            ['Folder that tools are confined to', <span class="mono">{root}</span>],
            ...limits,
            ['Limits of a run', limits.length === 0 && 'none beyond its token budget'],
          ]}
        />
      </Card>
    </div>
  )
}
