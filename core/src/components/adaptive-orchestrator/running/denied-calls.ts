import type { ErrorInfo, ToolCall } from '../../../contracts/index.ts'

/** Refusals that a person was asked for, or was not there to give. */
const BY_PERSON: ReadonlySet<string> = new Set(['approval_denied', 'approval_expired'])

/** Tool calls of one run that a person refused: the same call with the same arguments is not asked for again. */
export class DeniedCalls {
  readonly #errors = new Map<string, ErrorInfo>()

  /** @returns whether the error is a refusal by a person */
  note(call: ToolCall, error: ErrorInfo): boolean {
    if (!BY_PERSON.has(error.code)) return false
    this.#errors.set(keyOf(call), error)
    return true
  }

  find(call: ToolCall): ErrorInfo | undefined {
    return this.#errors.size === 0 ? undefined : this.#errors.get(keyOf(call))
  }
}

/** Equal for calls of one tool whose arguments are equal, in whatever order. */
const keyOf = ({ tool, args }: ToolCall): string => `${tool} ${JSON.stringify(args, inOrder) ?? ''}`

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
