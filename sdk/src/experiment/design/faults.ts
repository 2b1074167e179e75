import { ConfigError, type ErrorCode, type FieldError } from '@svc/core'
import { throwIfAny } from '@svc/core/config'

/** What is wrong with an experiment: it is collected, so that one error says all of it. */
export class Faults {
  readonly #found: (FieldError & { code: ErrorCode; cause?: unknown })[] = []

  add(path: string, message: string, code: ErrorCode = 'config_invalid', cause?: unknown): void {
    this.#found.push({ path, message, code, cause })
  }

  addAll(errors: readonly FieldError[]): void {
    for (const { path, message } of errors) this.add(path, message)
  }

  /** Takes what a ConfigError says, its fields below the path; anything else is thrown again. */
  take(thrown: unknown, path: string): void {
    if (!(thrown instanceof ConfigError)) throw thrown
    for (const error of thrown.errors ?? []) this.add(`${path}${error.path}`, error.message, thrown.code, thrown)
    if (thrown.errors === undefined) this.add(path, thrown.message, thrown.code, thrown)
  }

  /** Whether something is wrong there, or in a part of it. */
  isIn(path: string): boolean {
    return this.#found.some((each) => each.path === path || each.path.startsWith(`${path}/`))
  }

  /** @throws ConfigError with every fault in `errors`; its code is theirs where they have one, else `config_invalid` */
  throwIfAny(file: string): void {
    const [first] = this.#found
    if (first === undefined) return
    const { code, cause } = first
    const errors = this.#found.map(({ path, message }) => ({ path, message }))
    try {
      throwIfAny(errors, file)
    } catch (thrown) {
      if (code === 'config_invalid' || this.#found.some((each) => each.code !== code)) throw thrown
      throw new ConfigError(code, (thrown as ConfigError).message, { errors, details: { file }, cause })
    }
  }
}
