import { isAway, isBusy } from './session.ts'

/** One line while the server cannot be reached, or takes no more requests. */
export function Away() {
  return (
    <div role="status">
      {isAway.value && (
        <p class="warning away">The server cannot be reached. This page goes on by itself when it is back.</p>
      )}
      {isBusy.value && !isAway.value && (
        <p class="warning away">
          The server takes no more requests for now. This page goes on by itself within a minute.
        </p>
      )}
    </div>
  )
}
