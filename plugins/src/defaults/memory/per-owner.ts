/** One thing for each owner, made when it is first asked for. */
export class PerOwner<T> {
  readonly #create: (owner: string) => T
  readonly #made = new Map<string, T>()

  constructor(create: (owner: string) => T) {
    this.#create = create
  }

  readonly of = (owner: string): T => {
    const known = this.#made.get(owner)
    if (known !== undefined) return known
    const made = this.#create(owner)
    this.#made.set(owner, made)
    return made
  }

  /** Those that were asked for. */
  get made(): T[] {
    return [...this.#made.values()]
  }
}
