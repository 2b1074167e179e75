import type { Runtime, UndoInput, UndoResult } from '@svc/core'
import { askChoice } from '../ask/prompt.ts'
import type { CommandContext } from '../frame/context.ts'
import { renderUndone, renderUndoPlan } from './render.ts'

/**
 * Undoes what runs did to files.
 *
 * @param asks whether the difference is shown first, and a person asked
 * @returns undefined where the person said no
 * @throws ConflictError `files_changed`
 */
export async function undoRuns(
  { io }: CommandContext,
  runtime: Runtime,
  id: string,
  input: UndoInput,
  asks: boolean,
): Promise<UndoResult | undefined> {
  if (!asks) return runtime.runs.undo(id, input)
  const planned = await runtime.runs.undo(id, { ...input, dryRun: true })
  if (planned.files.length > 0) {
    io.show(`${renderUndoPlan(planned, io.paint)}\n`)
    if (planned.conflicts.length === 0) {
      const answer = await askChoice(io, 'Undo this?', ['yes', 'no'])
      if (answer !== 'yes') return undefined
    }
  }
  return runtime.runs.undo(id, input)
}

/** Prints what was undone. */
export const printUndone = ({ print }: CommandContext, result: UndoResult | undefined): void =>
  print(result ?? { done: false }, () => (result === undefined ? 'nothing was undone' : renderUndone(result)))
