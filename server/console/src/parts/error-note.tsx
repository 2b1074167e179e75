import type { ErrorInfo, SvcError } from '@svc/sdk/remote'

type ErrorLike = Pick<ErrorInfo, 'code' | 'message'>

/** What went wrong, in the server's words, with its code. */
export function ErrorText({ error, class: extra = '' }: { error: ErrorLike | undefined; class?: string }) {
  if (error === undefined) return null
  return (
    <p class={`error-text ${extra}`}>
      {error.message} <span class="tiny mono">{error.code}</span>
    </p>
  )
}

/** Why something failed, in the server's words, and a way to try again. */
export function ErrorNote({ error, onRetry }: { error: SvcError | undefined; onRetry?: () => void }) {
  if (error === undefined) return null
  const requestId = error.details?.requestId
  return (
    <div class="error-note" role="alert">
      <p>
        {error.message} <span class="tiny mono">{error.code}</span>
        {typeof requestId === 'string' && <span class="tiny mono"> {requestId}</span>}
      </p>
      {onRetry !== undefined && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
