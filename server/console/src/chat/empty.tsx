import type { RuntimeInfo } from '@svc/sdk/remote'
import { EXAMPLES } from '../runs/new-run/examples.ts'

interface EmptyProps {
  info: RuntimeInfo | undefined
  onExample: (task: string) => void
}

/** What stands in a conversation before anything is said. */
export function Empty({ info, onExample }: EmptyProps) {
  return (
    <div class="chat-empty">
      <h1>What is to be done?</h1>
      <p class="soft">
        Ask a question or give a task. svc decides how it is done, and shows every step.
        {info !== undefined && (
          <>
            {' '}
            It works in <code>{info.policy.root}</code>.
          </>
        )}
      </p>
      <ul class="chat-examples" aria-label="Examples">
        {EXAMPLES.map((task) => (
          <li key={task}>
            <button type="button" onClick={() => onExample(task)}>
              {task}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
