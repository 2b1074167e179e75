import type { ExperimentItem } from '@svc/sdk/remote'
import { formatCount, formatFromNow, plural } from '../parts/format.ts'

const EXAMPLE = `{
  "name": "budgets",
  "tasks": [{ "id": "sum", "task": "What is 17% of 2340?", "expected": "397.8" }],
  "arms": { "few-tokens": { "options": { "tokenBudget": 4000 } } },
  "scorer": "contains"
}`

/** The experiments of the folder, each with what it found first; or how to begin one. */
export function ExperimentList({ items }: { items: readonly ExperimentItem[] }) {
  if (items.length === 0) return <NoExperiments />
  return (
    <ul class="stack tight" aria-label="Experiments">
      {items.map((item) => (
        <li key={item.id} class="card experiment-item">
          <h2>
            <a href={`/console/experiments/${encodeURIComponent(item.id)}`}>{item.id}</a>
          </h2>
          <p>{item.verdict ?? <span class="soft">No report yet: it is written when svc experiment ends.</span>}</p>
          <p class="row small soft">
            <Progress {...item.runs} />
            {item.failedRuns > 0 && <span class="error-text">{formatCount(item.failedRuns)} failed</span>}
            <span>{plural(item.tasks, 'task')}</span>
            <span>{item.arms.join(', ')}</span>
            <span class="spread">{formatFromNow(item.changedAt)}</span>
          </p>
        </li>
      ))}
    </ul>
  )
}

function Progress({ made, planned }: ExperimentItem['runs']) {
  if (made >= planned) return <span>{plural(planned, 'run')}</span>
  return (
    <span class="row">
      <progress max={planned} value={made} aria-label="Runs that are made" />
      {formatCount(made)} of {plural(planned, 'run')}
    </span>
  )
}

function NoExperiments() {
  return (
    <section class="card" aria-label="How to begin an experiment">
      <div class="body stack">
        <p>
          <strong>There is no experiment in this folder yet.</strong> An experiment runs the same tasks with two or more
          settings and says what changed: in quality, tokens, cost and time, each with how sure that is.
        </p>
        <p>Write a file, such as budgets.json, and begin in the terminal:</p>
        <pre class="long-text" tabIndex={0} role="region" aria-label="An example of an experiment">
          {EXAMPLE}
        </pre>
        <pre class="long-text" tabIndex={0} role="region" aria-label="Commands">
          {'svc experiment budgets.json --dry-run   # what it would take\nsvc experiment budgets.json'}
        </pre>
        <p class="soft small">Its report then stands here. Experiments written elsewhere with --out are not listed.</p>
      </div>
    </section>
  )
}
