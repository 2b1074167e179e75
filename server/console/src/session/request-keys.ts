/** Keys of requests: the same asked for again, by a second click or after a lost answer, is the same request. */
export class RequestKeys {
  #body = ''
  #key = ''

  keyOf(asked: unknown): string {
    const body = JSON.stringify(asked)
    if (this.#key === '' || body !== this.#body) {
      this.#body = body
      // A page that came over plain HTTP from another machine has no `randomUUID`.
      const bytes = crypto.getRandomValues(new Uint8Array(16))
      this.#key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
    }
    return this.#key
  }

  /** What is asked for next is another request, though it says the same. */
  renew(): void {
    this.#key = ''
  }
}
