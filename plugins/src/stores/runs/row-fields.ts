import { GONE, RESULT_SEQ } from './run-rows.ts'

/** Fields of a run's row that have changed since the run was made. */
export class RowFields {
  /** As JSON. */
  readonly #fields: Map<string, string>
  /** Those that have changed since the row was written. */
  readonly #later: Map<string, string>

  /**
   * @param state what `state` was when the row was written
   * @param later what has changed since
   */
  constructor(state: string, later: Record<string, unknown> = {}) {
    this.#later = toMap(later)
    this.#fields = new Map([...toMap(JSON.parse(state)), ...this.#later])
  }

  /**
   * @param fields as JSON; undefined for one that was taken away
   * @param resultSeq number of the event that holds the row's result
   * @returns false where only the row itself can say what has changed
   */
  change(fields: readonly [string, string | undefined][], resultSeq: number | undefined): boolean {
    const known = this.#fields
    const gone = new Set<string>(JSON.parse(known.get(GONE) ?? '[]'))
    let isAdded = resultSeq === undefined
    for (const [name, json] of fields) {
      if (name === 'result') known.delete(RESULT_SEQ)
      if (json === undefined) {
        if (known.delete(name) || !gone.has(name)) isAdded = false
        gone.add(name)
      } else {
        known.set(name, json)
        this.#later.set(name, json)
        if (gone.delete(name)) isAdded = false
      }
    }
    if (gone.size === 0) known.delete(GONE)
    else known.set(GONE, JSON.stringify([...gone]))
    if (resultSeq !== undefined) known.set(RESULT_SEQ, String(resultSeq))
    return isAdded
  }

  /** All of them, as a JSON object. */
  get state(): string {
    return toJson(this.#fields)
  }

  /** Those that have changed since the row was written, as a JSON object. */
  get later(): string {
    return toJson(this.#later)
  }

  /** The row is written as it is now. */
  written(): void {
    this.#later.clear()
  }
}

const toMap = (fields: object): Map<string, string> =>
  new Map(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]))

const toJson = (fields: ReadonlyMap<string, string>): string =>
  `{${[...fields].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`
