import { ValidationError } from '@svc/core'

/**
 * A word too many is a mistake, and not to be passed over.
 *
 * @throws ValidationError `validation_failed`
 */
export function refuseWords(command: string, words: readonly string[], most: number): void {
  if (words.length <= most) return
  const extra = words.slice(most).join(' ').slice(0, 200)
  throw new ValidationError('validation_failed', `svc ${command}: too many words: ${extra}`)
}
