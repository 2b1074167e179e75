import { useSignal } from '@preact/signals'
import type { MemoryHit, MemoryRecord, SvcError } from '@svc/sdk/remote'
import { useRef } from 'preact/hooks'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatCount, formatDate, shortId } from '../parts/format.ts'
import { LongText } from '../parts/text.tsx'
import { runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'
import { Score } from './score.tsx'
import { Trust } from './trust.tsx'

const ORIGINS: Readonly<Record<MemoryRecord['source']['origin'], string>> = {
  user: 'a person',
  model: 'a model',
  tool: 'a tool',
  web: 'the web',
}

/** One record: what it says, who said so, how far it may be believed, and how to delete it. */
export function MemoryDetails({ record, onDeleted }: { record: MemoryRecord | MemoryHit; onDeleted: () => void }) {
  const { id, content, layer, kind, tags, source, trust, importance, threadId } = record
  return (
    <section class="card record-details" aria-label="Record">
      <header>
        <h2>
          {layer}, {kind}
        </h2>
        <Trust of={trust} />
        <span class="spread">
          <DeleteRecord record={record} onDeleted={onDeleted} />
        </span>
      </header>
      <div class="body stack">
        {trust === 'untrusted' && (
          <p class="untrusted-note">
            Nobody vouches for this.{' '}
            {source.untainted === true
              ? 'The run that wrote it had read nothing untrusted, so who recalls it is not marked for it.'
              : 'A run that recalls it counts as having read untrusted content.'}
          </p>
        )}
        <LongText text={content} label="What is remembered" tone="prose" />
        {'parts' in record && (
          <div class="stack">
            <Score score={record.score} />
            {Object.entries(record.parts).map(([name, part]) => (
              <Score key={name} score={part} label={name} />
            ))}
          </div>
        )}
        <dl class="facts small">
          <dt>Said by</dt>
          <dd>
            {ORIGINS[source.origin]}
            {source.agentId !== undefined && `, agent ${source.agentId}`}
            {source.runId !== undefined && (
              <>
                , <a href={`/console/runs/${encodeURIComponent(source.runId)}`}>run {shortId(source.runId)}</a>
              </>
            )}
          </dd>
          {threadId !== undefined && [<dt key="thread">Thread</dt>, <dd key="id">{threadId}</dd>]}
          <dt>Tags</dt>
          <dd>{tags.join(', ') || '–'}</dd>
          <dt>Importance</dt>
          <dd>{importance.toFixed(2)} of 1</dd>
          <dt>True</dt>
          <dd>
            from {formatDate(record.validFrom)}
            {record.validTo !== undefined && ` until ${formatDate(record.validTo)}`}
          </dd>
          <dt>Last found</dt>
          <dd>
            {record.accessCount === 0
              ? 'never'
              : `${formatDate(record.lastAccessedAt)}, ${formatCount(record.accessCount)} times in all`}
          </dd>
          <dt>Expires</dt>
          <dd>{record.expiresAt === undefined ? 'never' : formatDate(record.expiresAt)}</dd>
          <dt>Id</dt>
          <dd class="mono">{id}</dd>
        </dl>
      </div>
    </section>
  )
}

/** Asks before a record is deleted, and says what goes with it. */
function DeleteRecord({ record, onDeleted }: { record: MemoryRecord; onDeleted: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const error = useSignal<SvcError | undefined>(undefined)
  const isBusy = useSignal(false)
  const forget = async (): Promise<void> => {
    isBusy.value = true
    try {
      await runtime.value.memory.delete(record.id)
      dialog.current?.close()
      onDeleted()
    } catch (thrown) {
      const failed = toError(thrown)
      if (failed.code === 'memory_not_found') onDeleted()
      else error.value = failed
    } finally {
      isBusy.value = false
    }
  }
  return (
    <>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Delete…
      </button>
      <dialog ref={dialog} aria-labelledby="delete-title">
        <div class="stack">
          <h2 id="delete-title">Delete this record?</h2>
          <p>
            Its text, tags and source are deleted for good, and no run finds it any more. Logs of runs that wrote or
            recalled it stay as they are.
          </p>
          <ErrorNote error={error.value} />
          <div class="row">
            <button type="button" onClick={() => dialog.current?.close()}>
              Keep it
            </button>
            <button type="button" class="danger" disabled={isBusy.value} onClick={() => void forget()}>
              Delete
            </button>
          </div>
        </div>
      </dialog>
    </>
  )
}
