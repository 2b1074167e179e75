import { useCommands } from '../../keys/commands.ts'
import { ErrorNote } from '../../parts/error-note.tsx'
import { useAction } from '../../session/use-action.ts'
import { runAgain } from './new-run-state.ts'

/** Opens the box with all that a run of the list was asked for; the keyboard does it for the run that is focused, too. */
export function AgainButton({ id }: { id: string | undefined }) {
  const { act, isBusy, error } = useAction(async (asked: string) => {
    await runAgain(asked)
    scrollTo({ top: 0 })
  })
  useCommands([
    {
      name: 'Run the focused run again',
      words: 'repeat retry',
      group: 'This run',
      keys: 'r',
      run: () => {
        const focused = /run_\w+/.exec(document.activeElement?.getAttribute('href') ?? '')?.[0] ?? id
        if (focused !== undefined) void act(focused)
      },
    },
  ])
  return (
    <>
      {id !== undefined && (
        <button type="button" disabled={isBusy} onClick={() => void act(id)}>
          Run again
        </button>
      )}
      <ErrorNote error={error} />
    </>
  )
}
