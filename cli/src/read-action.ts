import { ValidationError } from '@svc/core'
import { nearest } from '@svc/core/text'

/**
 * The action of a command with several, such as `list` of `svc agents`.
 *
 * @throws ValidationError `validation_failed` with the actions that there are
 */
export function readAction<Action extends string>(command: string, word: string, actions: readonly Action[]): Action {
  const found = actions.find((action) => action === word)
  if (found !== undefined) return found
  const guess = nearest(word, actions)
  throw new ValidationError(
    'validation_failed',
    `svc ${command} has no "${word}"${guess === undefined ? '' : `: did you mean ${guess}?`} It has ${actions.join(', ')}`,
  )
}
