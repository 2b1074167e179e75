const FIRST_CAPACITY = 64

/** Whole numbers that lie close together, at places that grow as they are set. */
export class GrowingInts {
  values = new Int32Array(FIRST_CAPACITY)
  size = 0

  at(place: number, absent = 0): number {
    return place < this.size ? (this.values[place] ?? absent) : absent
  }

  /** @param between what the places between hold that were not set */
  set(place: number, value: number, between = 0): void {
    if (place >= this.values.length) {
      const grown = new Int32Array(Math.max(place + 1, 2 * this.values.length))
      grown.set(this.values)
      this.values = grown
    }
    if (place > this.size) this.values.fill(between, this.size, place)
    this.size = Math.max(this.size, place + 1)
    this.values[place] = value
  }
}

/** The same for fractions. */
export class GrowingFloats {
  values = new Float64Array(FIRST_CAPACITY)
  size = 0

  at(place: number): number {
    return place < this.size ? (this.values[place] ?? 0) : 0
  }

  set(place: number, value: number): void {
    if (place >= this.values.length) {
      const grown = new Float64Array(Math.max(place + 1, 2 * this.values.length))
      grown.set(this.values)
      this.values = grown
    }
    this.size = Math.max(this.size, place + 1)
    this.values[place] = value
  }
}
