/** One request of a protocol, by plain `fetch`. */
export interface AdapterBench {
  /** Asks once, without a stream. */
  request(url: string, task: string): Promise<void>
  /** Asks once, with a stream. @returns how many pieces of text came */
  stream(url: string, task: string): Promise<number>
}
