/** The first success is kept; a failure is not. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined
  return () => {
    kept ??= make().catch((thrown) => {
      kept = undefined
      throw thrown
    })
    return kept
  }
}
