import { useSignal } from '@preact/signals'
import type { MemoryWrite, SvcError } from '@svc/sdk/remote'
import { ErrorNote } from '../parts/error-note.tsx'
import { runtime } from '../session/session.ts'
import { toError } from '../session/use-load.ts'

const KINDS = ['fact', 'event', 'procedure', 'summary', 'decision', 'lesson', 'preference'] as const
const LAYERS = ['long-term', 'episodic'] as const

/** Something that a person wants runs to know. */
export function RememberForm({ onDone }: { onDone: () => void }) {
  const error = useSignal<SvcError | undefined>(undefined)
  const isBusy = useSignal(false)
  const send = async (form: FormData): Promise<void> => {
    const textOf = (name: string): string => String(form.get(name) ?? '').trim()
    const tags = textOf('tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
    isBusy.value = true
    try {
      await runtime.value.memory.write({
        content: textOf('content'),
        layer: textOf('layer') as NonNullable<MemoryWrite['layer']>,
        kind: textOf('kind') as NonNullable<MemoryWrite['kind']>,
        ...(tags.length > 0 && { tags }),
      })
      onDone()
    } catch (thrown) {
      error.value = toError(thrown)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <form
      class="card"
      aria-label="Remember something"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy.value) void send(new FormData(event.currentTarget))
      }}
    >
      <div class="body stack">
        <label>
          What runs should know
          <textarea name="content" rows={3} required maxLength={262_144} />
        </label>
        <div class="row remember">
          <label>
            Layer
            <select name="layer">
              {LAYERS.map((layer) => (
                <option key={layer}>{layer}</option>
              ))}
            </select>
          </label>
          <label>
            Kind
            <select name="kind">
              {KINDS.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <label>
            Tags, separated by commas
            <input name="tags" />
          </label>
        </div>
        <p class="soft small">What you write is trusted: runs believe it.</p>
        <ErrorNote error={error.value} />
        <div class="row">
          <button type="submit" class="primary" disabled={isBusy.value}>
            Remember
          </button>
        </div>
      </div>
    </form>
  )
}
