import { GONE, RESULT_SEQ } from './run-rows.ts'

/** Fields of a run's row that have changed since the run was made. */
export class RowFields {
  /** As JSON. */
  readonly #fields: Map<string, string>

  /** @param state what `change` answered last */
  constructor(state: string) {
    const fields: object = JSON.parse(state)
    this.#fields = new Map(Object.entries(fields).map(([name, value]) => [name, JSON.stringify(value)]))
  }

  /**
   * @param fields as JSON; undefined for one that was taken away
   * @param resultSeq number of the event that holds the row's result
   * @returns all of them, as a JSON object
   */
  change(fields: readonly [string, string | undefined][], resultSeq: number | undefined): string {
    const known = this.#fields
    const gone = new Set<string>(JSON.parse(known.get(GONE) ?? '[]'))
    for (const [name, json] of fields) {
      if (name === 'result') known.delete(RESULT_SEQ)
      if (json === undefined) {
        known.delete(name)
        gone.add(name)
      } else {
        known.set(name, json)
        gone.delete(name)
      }
    }
    known.set(GONE, JSON.stringify([...gone]))
    if (gone.size === 0) known.delete(GONE)
    if (resultSeq !== undefined) known.set(RESULT_SEQ, String(resultSeq))
    return `{${[...known].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`
  }
}
