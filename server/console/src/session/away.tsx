import { isAway } from './session.ts'

/** One line while the server cannot be reached. */
export function Away() {
  return (
    <div role="status">
      {isAway.value && <p class="away">The server cannot be reached. This page goes on by itself when it is back.</p>}
    </div>
  )
}
