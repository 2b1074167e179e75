/** What is needed of a response of Node: that of `node:http`, of Express, and of what is made like them. */
export interface NodeResponse {
  readonly destroyed: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  write(chunk: Uint8Array): boolean
  end(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
}

/** Writes a response into another one, at the pace of its reader. */
export async function writeTo(
  destination: NodeResponse | WritableStream<Uint8Array>,
  { status, headers, body }: Response,
): Promise<void> {
  if (body === null) return
  if (!('writeHead' in destination)) return body.pipeTo(destination)
  const reader = body.getReader()
  const closed = new Promise<void>((resolve) => destination.once('close', resolve))
  void closed.then(() => reader.cancel()).catch(() => {})
  destination.writeHead(status, Object.fromEntries(headers))
  for (;;) {
    const { done, value } = await reader.read()
    if (done || destination.destroyed) break
    if (!destination.write(value))
      await Promise.race([closed, new Promise<void>((resolve) => destination.once('drain', resolve))])
  }
  if (destination.destroyed) await reader.cancel()
  else destination.end()
}
