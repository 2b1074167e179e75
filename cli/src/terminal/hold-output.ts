/** Holds back what this process prints to the terminal while another program has it; then it is printed. */
export async function holdOutput<T>(work: () => Promise<T>): Promise<T> {
  const held: (() => void)[] = []
  const giveBack = [process.stdout, process.stderr].flatMap((stream) => {
    if (stream.isTTY !== true) return []
    const { write } = stream
    stream.write = ((...args: Parameters<typeof write>) => {
      held.push(() => write.apply(stream, args))
      return true
    }) as typeof write
    return () => {
      stream.write = write
    }
  })
  const release = (): void => {
    process.off('exit', release)
    for (const give of [...giveBack, ...held.splice(0)]) give()
  }
  process.on('exit', release)
  try {
    return await work()
  } finally {
    release()
  }
}
