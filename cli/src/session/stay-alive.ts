/** Keeps the process alive until some work has ended: a run of another process, or one that waits, gives it nothing to do. */
export async function stayAlive<Result>(work: Promise<Result>): Promise<Result> {
  const timer = setInterval(() => {}, 60_000)
  try {
    return await work
  } finally {
    clearInterval(timer)
  }
}
