import type { MemoryChange, MemoryRecord } from '@svc/sdk/remote'
import { useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { Field } from '../parts/field.tsx'
import { splitWords } from '../parts/format.ts'
import { runtime } from '../session/session.ts'
import { useAction } from '../session/use-action.ts'
import { KINDS } from './kinds.ts'

interface EditProps {
  record: MemoryRecord
  onSaved: (record: MemoryRecord) => void
  onBack: () => void
}

/** Tags that say where a record comes from are no words of a person. */
const isWord = (tag: string): boolean => !/^(?:from|recalled):/.test(tag)

/** Changes a record in its place; what was not touched stays as it was. */
export function EditRecord({ record, onSaved, onBack }: EditProps) {
  const [kind, setKind] = useState<string>(record.kind)
  const { act, isBusy, error } = useAction(async (form: FormData) => {
    const change = toChange(record, form)
    onSaved(Object.keys(change).length === 0 ? record : await runtime.value.memory.update(record.id, change))
  })
  const problemOf = (field: string): string | undefined =>
    error?.errors?.find(({ path }) => path.startsWith(`/${field}`))?.message
  return (
    <form
      class="stack tight"
      aria-label="Edit the record"
      onSubmit={(event) => {
        event.preventDefault()
        void act(new FormData(event.currentTarget))
      }}
      onKeyDown={(event) => event.key === 'Escape' && onBack()}
    >
      <Field label="What is remembered" problem={problemOf('content')}>
        {(control) => (
          <textarea {...control} name="content" rows={5} required maxLength={262_144} autofocus>
            {record.content}
          </textarea>
        )}
      </Field>
      <div class="row remember">
        <Choice label="Kind" name="kind" options={KINDS} value={kind} onValue={setKind} />
        <label>
          Importance, 0 to 1
          <input
            name="importance"
            type="number"
            min={0}
            max={1}
            step="any"
            required
            defaultValue={String(record.importance)}
          />
        </label>
        <Field label="True until" problem={problemOf('validTo')} hint="empty: it still is">
          {(control) => (
            <input {...control} name="validTo" type="datetime-local" defaultValue={toLocal(record.validTo)} />
          )}
        </Field>
      </div>
      <label>
        Tags, separated by commas
        <input name="tags" defaultValue={record.tags.filter(isWord).join(', ')} />
      </label>
      <p class="soft small">
        {record.trust === 'trusted' && record.source.runId === undefined
          ? 'What was made of the old text is deleted where you change the text.'
          : 'With a new text it is yours: trusted, of no run, and seen by every folder that shares this store.'}
      </p>
      <ErrorNote error={error} />
      <div class="row">
        <button type="submit" class="primary" disabled={isBusy}>
          Save
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  )
}

function toChange({ content, kind, importance, tags, validTo }: MemoryRecord, form: FormData): MemoryChange {
  const textOf = (name: string): string => String(form.get(name) ?? '')
  // A form sends line breaks of its own kind.
  const text = textOf('content').replaceAll('\r\n', '\n')
  const words = splitWords(textOf('tags'))
  const end = textOf('validTo')
  return {
    ...(text !== content.replaceAll('\r\n', '\n') && { content: text }),
    ...(textOf('kind') !== kind && { kind: textOf('kind') as MemoryRecord['kind'] }),
    ...(Number(textOf('importance')) !== importance && { importance: Number(textOf('importance')) }),
    ...(words.join() !== splitWords(tags.filter(isWord).join()).join() && { tags: words }),
    ...(end !== toLocal(validTo) && { validTo: end === '' ? null : new Date(end).toISOString() }),
  }
}

/** A moment as an input of a date and a time has it, in the time zone of the reader. */
function toLocal(time: string | undefined): string {
  if (time === undefined) return ''
  const moment = new Date(time)
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
