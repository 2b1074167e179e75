import type { UndoResult } from '@svc/core'
import { toShownPlace, toShownText } from '@svc/core/client'
import type { Io } from '../frame/io.ts'
import { paintDiff } from '../render/diff.ts'
import { count } from '../render/one-line.ts'

/** What an undo would change, with the differences. @param paint colours for a terminal; default none */
export function renderUndoPlan(result: UndoResult, paint?: Io['paint']): string {
  const toLines = (diff: string): string[] => (paint === undefined ? diff.split('\n') : paintDiff(diff, paint))
  const files = result.files.flatMap(({ path, action, kind, diff }) => {
    const what = `${action === 'remove' ? 'removes' : 'restores'} ${kind === 'file' ? '' : `the ${kind} `}${toShownPlace(path)}`
    return diff === undefined ? [what] : [what, ...toLines(toShownText(diff)).map((line) => `  ${line}`)]
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
