import { toShownText } from '@svc/core/client'
import type { UndoResult } from '@svc/sdk/remote'
import { DiffText } from './diff-text.tsx'

/** What putting files back changes, with the difference; what somebody changed since; and what stays as it is. */
export function UndoPreview({ found: { files, left, conflicts } }: { found: UndoResult }) {
  return (
    <>
      {conflicts.length > 0 && (
        <Named title="Somebody changed these since. As long as that is so, nothing is undone:" items={conflicts} />
      )}
      {files.length > 0 && <p>What becomes of the files as they are now:</p>}
      {files.map(({ path, action, kind, diff }) => (
        <details key={path} open={files.length <= 3}>
          <summary>
            <span class="mono">{path}</span>{' '}
            <span class="soft">{action === 'remove' ? `the ${kind} is removed` : `the ${kind} is written`}</span>
          </summary>
          {diff === undefined ? (
            <p class="soft small">It is no text, or its difference is not kept.</p>
          ) : (
            <DiffText text={toShownText(diff)} label={`Difference of ${path}`} />
          )}
        </details>
      ))}
      {left.length > 0 && (
        <Named
          title="This stays as it is:"
          items={left.map(({ path, tool, why }) => ({ path: path ?? tool ?? 'something', why }))}
        />
      )}
    </>
  )
}

function Named({ title, items }: { title: string; items: readonly { path: string; why: string }[] }) {
  return (
    <div class="warning">
      <p>{title}</p>
      <ul class="dotted">
        {items.map(({ path, why }, index) => (
          <li key={index}>
            <span class="mono">{path}</span>: {why}
          </li>
        ))}
      </ul>
    </div>
  )
}
