import { shortId } from './format.ts'

/** The way to a run, by the end of its id. */
export function RunLink({ id, before = '' }: { id: string; before?: string }) {
  return (
    <a href={`/console/runs/${encodeURIComponent(id)}`}>
      {before}run {shortId(id)}
    </a>
  )
}

/** The way to a run as it was at an event. */
export function EventLink({ id, seq }: { id: string; seq: number }) {
  return <a href={`/console/runs/${encodeURIComponent(id)}/timeline?at=${seq}`}>event {seq}</a>
}
