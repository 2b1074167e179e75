import { ConfigError, type FieldError } from '../../errors.ts'
import { shown } from './shown.ts'

/**
 * The error of a config file that cannot be used: `config_invalid`, with the file, what is wrong, and each wrong field.
 *
 * @param file as a person can open it, or the name of a layer such as `flags`
 */
export function invalid(file: string, message: string, errors?: FieldError[], cause?: unknown): ConfigError {
  return new ConfigError('config_invalid', `${shown(file)}: ${message}`, {
    details: { file },
    ...(errors === undefined ? {} : { errors }),
    ...(cause === undefined ? {} : { cause }),
  })
}

/** The error of a file that may not be loaded: it is untrusted, or it changed since it was trusted. */
export function untrusted(file: string, message: string, command = 'svc trust'): ConfigError {
  return new ConfigError(
    'config_untrusted',
    `${shown(file)}: ${message}; run "${shown(command)}" after looking at it`,
    {
      details: { file },
    },
  )
}
