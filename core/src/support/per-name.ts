/** One thing for each name, made when it is first asked for. */
export class PerName<T> {
  readonly #create: (name: string) => T
  readonly #made = new Map<string, T>()

  constructor(create: (name: string) => T) {
    this.#create = create
  }

  readonly of = (name: string): T => {
    const known = this.#made.get(name)
    if (known !== undefined) return known
    const made = this.#create(name)
    this.#made.set(name, made)
    return made
  }

  /** Those that were asked for. */
  get made(): T[] {
    return [...this.#made.values()]
  }
}
