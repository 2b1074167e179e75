import type { Session } from '@svc/sdk/remote'
import type { ComponentChildren } from 'preact'
import { isAnonymous, mayDo, person } from './session.ts'

interface DecidingProps {
  /** What the key has to be for. */
  scope: Session['scopes'][number]
  children: ComponentChildren
}

/** What decides something; where this tab may not, why it is not offered. */
export function Deciding({ scope, children }: DecidingProps) {
  if (mayDo(scope)) return <>{children}</>
  if (isAnonymous.value)
    return (
      <p class="soft small">
        This tab can read and start runs. To answer, delete and change things, open the link that <code>svc serve</code>{' '}
        prints when it starts, or that <code>svc gui</code> opens.
      </p>
    )
  return (
    <p class="soft small">
      {person.value === undefined ? 'The key of this tab is' : 'Your roles are'} not for this: it needs the scope{' '}
      <code>{scope}</code>.
    </p>
  )
}
