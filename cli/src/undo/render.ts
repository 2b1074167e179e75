import type { UndoResult } from '@svc/core'
import { toShownPlace, toShownText } from '@svc/core/client'
import { count } from '../render/one-line.ts'

/** What an undo would change, with the differences. */
export function renderUndoPlan(result: UndoResult): string {
  const files = result.files.flatMap(({ path, action, kind, diff }) => {
    const what = `${action === 'remove' ? 'removes' : 'restores'} ${kind === 'file' ? '' : `the ${kind} `}${toShownPlace(path)}`
    return diff === undefined
      ? [what]
      : [
          what,
          ...toShownText(diff)
            .split('\n')
            .map((line) => `  ${line}`),
        ]
  })
  const conflicts = result.conflicts.map(({ path, why }) => `in the way: ${toShownPlace(path)}: ${why}`)
  return [...files, ...conflicts, ...leftOf(result)].join('\n')
}

/** What an undo did. */
export function renderUndone(result: UndoResult): string {
  const changed = result.files.map(
    ({ path, action }) => `${action === 'remove' ? 'removed' : 'restored'} ${toShownPlace(path)}`,
  )
  const sum = result.done ? `${count(result.files.length, 'path')} put back` : NOTHING
  return [...changed, ...leftOf(result), sum].join('\n')
}

/** That the files are as they are wanted. */
export const NOTHING = 'nothing to undo: the files are as they were'

const leftOf = ({ left }: UndoResult): string[] =>
  left.map(({ path, tool, why }) => `not undone: ${toShownPlace(path ?? tool ?? '')}: ${toShownText(why)}`)
