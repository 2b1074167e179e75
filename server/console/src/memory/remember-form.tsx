import type { MemoryWrite } from '@svc/sdk/remote'
import { Choice } from '../parts/choice.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { splitWords } from '../parts/format.ts'
import { Deciding } from '../session/deciding.tsx'
import { isAnonymous, runtime } from '../session/session.ts'
import { useAction } from '../session/use-action.ts'
import { KINDS } from './kinds.ts'

const LAYERS = ['long-term', 'episodic'] as const

/** Something that a person wants runs to know. */
export function RememberForm({ onDone }: { onDone: () => void }) {
  const { act, isBusy, error } = useAction(async (form: FormData) => {
    const textOf = (name: string): string => String(form.get(name) ?? '').trim()
    const tags = splitWords(textOf('tags'))
    await runtime.value.memory.write({
      content: textOf('content'),
      layer: textOf('layer') as NonNullable<MemoryWrite['layer']>,
      kind: textOf('kind') as NonNullable<MemoryWrite['kind']>,
      ...(tags.length > 0 && { tags }),
    })
    onDone()
  })
  if (isAnonymous.value)
    return (
      <div class="card">
        <div class="body">
          <Deciding scope="admin">{null}</Deciding>
        </div>
      </div>
    )
  return (
    <form
      class="card"
      aria-label="Remember something"
      onSubmit={(event) => {
        event.preventDefault()
        void act(new FormData(event.currentTarget))
      }}
    >
      <div class="body stack">
        <label>
          What runs should know
          <textarea name="content" rows={3} required maxLength={262_144} />
        </label>
        <div class="row remember">
          <Choice label="Layer" name="layer" options={LAYERS} />
          <Choice label="Kind" name="kind" options={KINDS} />
          <label>
            Tags, separated by commas
            <input name="tags" />
          </label>
        </div>
        <p class="soft small">What you write is trusted: runs believe it.</p>
        <ErrorNote error={error} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy}>
            Remember
          </button>
        </div>
      </div>
    </form>
  )
}
