import { useSignal } from '@preact/signals'
import { runStateOf } from '@svc/core/client'
import { type MemoryHit, type MemoryRecord, SvcError } from '@svc/sdk/remote'
import { useRef } from 'preact/hooks'
import { ActionDialog } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatCount, formatDate, oneLine } from '../parts/format.ts'
import { RunLink } from '../parts/run-link.tsx'
import { LongText } from '../parts/text.tsx'
import { isAnonymous, runtime } from '../session/session.ts'
import { EditRecord } from './edit-record.tsx'
import { Score } from './score.tsx'
import { Trust } from './trust.tsx'

const ORIGINS: Readonly<Record<MemoryRecord['source']['origin'], string>> = {
  user: 'a person',
  model: 'a model',
  tool: 'a tool',
  web: 'the web',
}

interface MemoryDetailsProps {
  record: MemoryRecord | MemoryHit
  onChanged: () => void
  onDeleted: () => void
}

/** One record: what it says, who said so, how far it may be believed, and how to edit and delete it. */
export function MemoryDetails({ record, onChanged, onDeleted }: MemoryDetailsProps) {
  const isEdited = useSignal(false)
  const edit = useRef<HTMLButtonElement>(null)
  const isSaved = useSignal(false)
  const close = (): void => {
    isEdited.value = false
    edit.current?.focus()
  }
  const { id, content, layer, kind, tags, source, trust, importance, threadId, validFrom, validTo } = record
  const { accessCount, lastAccessedAt, expiresAt } = record
  return (
    <section class="card record-details" aria-label="Record">
      <header>
        <h2>
          {layer}, {kind}
        </h2>
        <Trust of={trust} />
        {!isAnonymous.value && (
          <span class="row spread">
            <button
              ref={edit}
              type="button"
              aria-expanded={isEdited.value}
              onClick={() => {
                isSaved.value = false
                isEdited.value = !isEdited.value
              }}
            >
              Edit
            </button>
            <DeleteRecord id={id} onDeleted={onDeleted} />
          </span>
        )}
      </header>
      <p role="status" class={isSaved.value ? 'body soft small' : 'hidden-label'}>
        {isSaved.value && 'Saved.'}
      </p>
      {isEdited.value && (
        <div class="body">
          <EditRecord
            record={record}
            onBack={close}
            onSaved={() => {
              isSaved.value = true
              close()
              onChanged()
            }}
          />
        </div>
      )}
      {!isEdited.value && (
        <div class="body stack">
          {trust === 'untrusted' && (
            <p class="warning">
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
          <Facts
            of={[
              [
                'Said by',
                <>
                  {ORIGINS[source.origin]}
                  {source.agentId !== undefined && `, agent ${source.agentId}`}
                  {source.runId !== undefined && ', '}
                  {source.runId !== undefined && <RunLink id={source.runId} />}
                </>,
              ],
              ['Run ended', runStateOf(record)],
              ['Thread', threadId],
              ['Tags', tags.map((tag) => oneLine(tag, 60)).join(', ') || '–'],
              ['Importance', `${importance.toFixed(2)} of 1`],
              ['True', `from ${formatDate(validFrom)}${validTo === undefined ? '' : ` until ${formatDate(validTo)}`}`],
              [
                'Last found',
                accessCount === 0 ? 'never' : `${formatDate(lastAccessedAt)}, ${formatCount(accessCount)} times in all`,
              ],
              ['Expires', expiresAt === undefined ? 'never' : formatDate(expiresAt)],
              ['Id', <span class="mono">{id}</span>],
            ]}
          />
        </div>
      )}
    </section>
  )
}

/** Asks before a record is deleted, and says what goes with it. */
function DeleteRecord({ id, onDeleted }: { id: string; onDeleted: () => void }) {
  const forget = async (): Promise<void> => {
    await runtime.value.memory.delete(id).catch((thrown) => {
      if (!SvcError.isInstance(thrown) || thrown.code !== 'memory_not_found') throw thrown
    })
    onDeleted()
  }
  return (
    <ActionDialog
      label="Delete…"
      tone="danger"
      title="Delete this record?"
      doLabel="Delete"
      backLabel="Keep it"
      isDangerous
      onDo={forget}
    >
      <p>
        Its text, tags and source are deleted for good, and no run finds it any more. Logs of runs that wrote or
        recalled it stay as they are.
      </p>
    </ActionDialog>
  )
}
