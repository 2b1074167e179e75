import { ValidationError } from '@svc/core'

/** A field of a request that cannot be used, by its JSON pointer. */
export const wrongField = (path: string, message: string): ValidationError =>
  new ValidationError('validation_failed', `${path} ${message}`, { errors: [{ path, message }] })
