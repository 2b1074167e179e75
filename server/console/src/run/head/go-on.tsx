import { ErrorNote } from '../../parts/error-note.tsx'
import { runtime } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'

/** Tokens that a run is given more of unless somebody says another number. */
export const MORE_TOKENS = 32_000

/** Has the server take up a run that nobody works on, where it stands. */
export function GoOn({ id }: { id: string }) {
  const { act, isBusy, error } = useAction(async () => void (await runtime.value.runs.resume(id)))
  return (
    <>
      <button type="button" class="primary" disabled={isBusy} onClick={() => void act()}>
        Go on
      </button>
      <ErrorNote error={error} />
    </>
  )
}
