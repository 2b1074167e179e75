import { describeTaint, isFolderAlone, toShownText } from '@svc/core/client'
import type { ExecutionResult } from '@svc/sdk/remote'

/** So many are named at once; the title has all. */
const MOST = 3

/** What an answer rests on that nobody vouches for, by name, and what a person can do about it where it is their own folder. */
export function Taint({ by }: { by: NonNullable<ExecutionResult['taintedBy']> }) {
  const names = by.map((source) => toShownText(describeTaint(source)))
  const rest = names.length > MOST ? ` and ${names.length - MOST} more` : ''
  const named = `${names.slice(0, MOST).join(', ')}${rest}`
  return (
    <p class="soft small" title={names.join('\n')}>
      {isFolderAlone(by) ? (
        <>
          It rests on files of this folder, which nobody has trusted yet ({named}). <code>svc trust</code> makes them
          yours.
        </>
      ) : (
        <>
          <span class="pill" data-status="incomplete">
            Rests on untrusted content
          </span>{' '}
          {named === '' ? 'What it was is not recorded.' : `Read: ${named}.`}
        </>
      )}
    </p>
  )
}
