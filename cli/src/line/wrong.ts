import { ValidationError } from '@svc/core'
import { nearest } from '@svc/core/text'

/**
 * What a person wrote and svc cannot take.
 *
 * @param place where it stands, such as the name of an option; absent where it is the words as a whole
 * @param about the message without its place; default the whole of it
 */
export const wrong = (message: string, place?: string, about = message): ValidationError =>
  new ValidationError('validation_failed', message, {
    ...(place !== undefined && { errors: [{ path: `/${place}`, message: about }] }),
  })

/** @param name of an option, in camel case or as it is written */
export function invalid(name: string, message: string): ValidationError {
  const flag = name.startsWith('-') ? name : `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  return wrong(`${flag} ${message}`, flag.replace(/^-+/, ''), message)
}

/** The end of a message about a word that is none of those known: `: did you mean list?`. */
export function didYouMean(word: string, known: readonly string[], otherwise = ''): string {
  const guess = nearest(word, known)
  return guess === undefined ? otherwise : `: did you mean ${guess}?`
}
