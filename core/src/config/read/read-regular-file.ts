import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs'

const CHUNK_BYTES = 65_536

/**
 * The bytes of a regular file. Devices, pipes and folders are refused without being read from, and no more is read than
 * is wanted: a file of `/proc` says that it is empty and may never end.
 *
 * @returns the bytes and whose they are, or why there are none, such as `is larger than 10 bytes`; `cause` where the system refused it
 */
export function readRegularFile(
  file: string,
  maxBytes: number,
): { bytes: Buffer; stats: Stats } | { problem: string; cause?: unknown } {
  let descriptor: number | undefined
  try {
    // Non-blocking: a pipe without a writer would otherwise never open.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return { problem: 'is not a regular file' }
    const chunks: Buffer[] = []
    let total = 0
    for (let size = stats.size; total <= maxBytes && size <= maxBytes; ) {
      const chunk = Buffer.allocUnsafe(Math.min(Math.max(size - total, CHUNK_BYTES), maxBytes + 1))
      const read = readSync(descriptor, chunk)
      if (read === 0) return { bytes: Buffer.concat(chunks), stats }
      chunks.push(chunk.subarray(0, read))
      total += read
      size = Math.max(size, total)
    }
    return { problem: `is larger than ${maxBytes} bytes` }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause)
    // A service runs as another user than the one who made its files.
    const reader = code === 'EACCES' ? ` by user ${process.geteuid?.()}, who runs svc` : ''
    return { problem: `cannot be read (${code})${reader}`, cause }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
