import { useViewTitle } from './parts/view-title.ts'

/** An address without a view. */
export function NotFound() {
  useViewTitle('No such page')
  return (
    <div class="empty">
      <h1>There is no such page</h1>
      <p>
        <a href="/console/runs">To the runs</a>
      </p>
    </div>
  )
}
