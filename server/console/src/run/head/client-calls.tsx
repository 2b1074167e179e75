import type { Wait } from '../../state/wait.ts'

/** Calls that nobody here can answer: the program makes them which asked for the run. */
export function ClientCalls({ calls }: Pick<Wait, 'calls'>) {
  if (calls.length === 0) return null
  return (
    <p>
      The program that asked for this run makes these calls, and has not sent their results yet:{' '}
      {calls.map(({ id, tool }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <code>{tool}</code>
        </span>
      ))}
      .
    </p>
  )
}
